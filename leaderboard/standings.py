"""The ranking. Pages, API, CSV and command line all read it from here.

One query fetches the summary rows of a selection; everything else is arithmetic
on those rows, so its cost doesn't grow with the number of turns.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from evaluation.intervals import Estimate, Moments, mean_over_cells
from evaluation.metrics import Summary
from evaluation.ranking import Scored, eligibility, rank
from leaderboard.filters import Filters
from leaderboard.models import RunSummary
from leaderboard.models.summaries import SUMMARY_FIELDS, summary_from
from leaderboard.rows import (
    Cell,
    Entry,
    Row,
    Standings,
    count_moments,
    frontier_moments,
    quality,
)


def standings(filters: Filters) -> Standings:
    """Return the ranking for `filters`.

    Ranks are over every model that the figures' filters select; `kind`, `open`, `since`
    and `until` only choose which rows are shown, so a rank means the same in each view.
    """
    tasks = filters.task_slugs
    rows = _ranked([_row(*item, tasks, filters.p) for item in _cells(filters, tasks).items()])
    shown = [row for row in rows if _shown(row.entry, filters)]
    return Standings(filters, tasks, tuple(_sorted(shown, filters, tasks)))


_ENTRY_FIELDS = (
    "id",
    "slug",
    "name",
    "kind",
    "base__slug",
    "base__name",
    "organisation",
    "open_weights",
    "released",
    "released_note",
)


def _cells(filters: Filters, tasks: Sequence[str]) -> dict[Entry, dict[str, Cell]]:
    """Fetch and pool the summary rows of a selection, by entry and task.

    Rows at k = 1 say which cells exist: every run has one, whatever its turn limit.
    """
    fields = [f"run__entry__{name}" for name in _ENTRY_FIELDS]
    rows = RunSummary.objects.filter(
        provenance=filters.provenance,
        hardware=filters.hw,
        protocol=filters.protocol,
        k__in={1, filters.k},
        run__architecture=filters.arch,
        run__prompt_set=filters.prompt,
        run__workload__published=True,
        run__workload__task__slug__in=tasks,
    ).order_by("run__slug")
    found: dict[Entry, dict[str, list[tuple[str, Summary]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    values = rows.values_list(
        *fields, "run__origin", "run__slug", "run__workload__task__slug", "k", *SUMMARY_FIELDS
    )
    for *entry, run, task, k, rest in ((*v[:14], v[14:]) for v in values):
        figures = summary_from(dict(zip(SUMMARY_FIELDS, rest, strict=True)), k)
        found[Entry(*entry)][task].append((run, figures))
    return {
        entry: {task: _pooled(task, members, filters.k) for task, members in by_task.items()}
        for entry, by_task in found.items()
    }


def _pooled(task: str, members: Iterable[tuple[str, Summary]], k: int) -> Cell:
    """Pool repeated runs of the same cell. Runs whose turn limit is below k have no figures."""
    members = list(members)
    reaching = [figures for _run, figures in members if figures.k == k]
    pooled = sum(reaching[1:], start=reaching[0]) if reaching else None
    return Cell(task, pooled, tuple(dict.fromkeys(run for run, _figures in members)))


def _row(entry: Entry, cells: dict[str, Cell], tasks: Sequence[str], p: float) -> Row:
    ordered = tuple(cells.get(task) or Cell(task, None, ()) for task in tasks)
    figures = [cell.figures for cell in ordered if cell.figures]
    complete = len(figures) == len(tasks)
    lacks = eligibility({cell.task: cell.figures for cell in ordered}, tasks)

    def mean(moments: list[Moments]) -> Estimate | None:
        return mean_over_cells(moments) if complete else None

    return Row(
        entry=entry,
        cells=ordered,
        rank=None,
        rank_range=None,
        frontier=mean([frontier_moments(f) for f in figures]),
        correct=mean([count_moments(f, f.correct) for f in figures]),
        target=mean([count_moments(f, f.target) for f in figures]),
        fast=mean([count_moments(f, f.fast_count(p)) for f in figures]),
        lacks=tuple(lacks),
    )


def _ranked(rows: list[Row]) -> list[Row]:
    """Give ranks to the rows that lack nothing, and put them first, best first."""
    left: dict[Hashable, Row] = {(row.entry.id, row.entry.origin): row for row in rows}
    placed = []
    for place in rank([scored for row in rows if (scored := _scored(row))]):
        row = left.pop(place.key)
        span = (place.range_low, place.range_high)
        placed.append(replace(row, rank=place.rank, rank_range=span))
    return placed + sorted(left.values(), key=quality)


def _scored(row: Row) -> Scored | None:
    """Return what ranks a row; None for one that lacks something."""
    if row.lacks or not (row.frontier and row.target and row.correct):
        return None
    key = (row.entry.id, row.entry.origin)
    return Scored(key, row.frontier, row.target.mean, row.correct.mean, row.entry.name)


def _shown(entry: Entry, filters: Filters) -> bool:
    """Whether the filters on entries let this one through; an unknown date passes no bound."""
    day = entry.released
    return (
        (not filters.kind or entry.kind == filters.kind)
        and (filters.open is None or entry.open_weights is filters.open)
        and (filters.since is None or (day is not None and day >= filters.since))
        and (filters.until is None or (day is not None and day <= filters.until))
    )


_VALUES: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row.entry.name.casefold(),
    "frontier_share": lambda row: row.frontier and row.frontier.mean,
    "correct": lambda row: row.correct and row.correct.mean,
    "target": lambda row: row.target and row.target.mean,
    "fast": lambda row: row.fast and row.fast.mean,
    "trajectories": lambda row: row.trajectories,
    "released": lambda row: row.entry.released,
}


def _sorted(rows: list[Row], filters: Filters, tasks: Sequence[str]) -> list[Row]:
    """Order rows by the chosen column; a missing value comes last in either direction."""
    column, descending = filters.sort.removeprefix("-"), filters.sort.startswith("-")
    if column == "rank":
        ranked = [row for row in rows if row.rank is not None]
        unranked = [row for row in rows if row.rank is None]
        return (ranked[::-1] if descending else ranked) + unranked
    value = _VALUES.get(column) or _task_value(tasks.index(column))
    known = [row for row in rows if value(row) is not None]
    unknown = [row for row in rows if value(row) is None]
    return sorted(known, key=value, reverse=descending) + unknown


def _task_value(place: int) -> Callable[[Row], Any]:
    def value(row: Row) -> float | None:
        frontier = row.cells[place].frontier
        return frontier.mean if frontier else None

    return value
