"""How the ranking is laid out as a table: what is folded, how many rows, which columns."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext

from leaderboard.filters import BadFilters
from leaderboard.sentences import lacking
from leaderboard.standings import Row, Standings
from leaderboard.words import task_short

FIRST_ROWS = 100

CHOICES = {"fold": "1", "rows": "all", "columns": "speedup"}
"""The layout's parameters, each with the one value it can have."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a visitor chose about the table itself; the figures are the same in each."""

    fold: bool = False
    every: bool = False
    speedups: bool = False

    def query(self, **changes: bool) -> str:
        """Return the layout's part of the address, with some of it changed."""
        names = {"fold": "fold", "rows": "every", "columns": "speedups"}
        return "&".join(
            f"{name}={CHOICES[name]}"
            for name, field in names.items()
            if changes.get(field, getattr(self, field))
        )


def parse_layout(query: QueryDict) -> Layout:
    """Return the layout in a query string. Raises `BadFilters` for an unknown value."""
    wrong = {
        name: [
            gettext("“%(value)s” is not a choice; the only one is “%(known)s”.")
            % {"value": query[name], "known": known}
        ]
        for name, known in CHOICES.items()
        if query.get(name, "") not in ("", known)
    }
    if wrong:
        raise BadFilters(wrong)
    return Layout(*(query.get(name) == known for name, known in CHOICES.items()))


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of the table: the figures, and what is said beside them."""

    row: Row
    lacks: str
    wins: str
    folded: tuple[Row, ...]

    @property
    def best_folded(self) -> Row | None:
        """The folded row with the highest frontier share."""
        scored = [row for row in self.folded if row.frontier]
        return max(scored, key=lambda row: row.frontier.mean if row.frontier else 0, default=None)


def table_rows(standings: Standings, layout: Layout) -> list[TableRow]:
    """Return the lines of the table, all of them, in the order of the ranking."""
    folded = _folded(standings.rows) if layout.fold else {}
    hidden = {id(row) for rows in folded.values() for row in rows}
    return [
        TableRow(
            row=row,
            lacks=lacking(row.lacks, standings.filters.k),
            wins=", ".join(task_short(cell.task) for cell in row.cells if cell.beats_library),
            folded=tuple(folded.get(row.entry.slug, ())),
        )
        for row in standings.rows
        if id(row) not in hidden
    ]


def _folded(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows that fold, by the slug of the base that is in the table too."""
    shown = {row.entry.slug for row in rows}
    by_base: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.entry.base_slug in shown:
            by_base[row.entry.base_slug].append(row)
    return by_base
