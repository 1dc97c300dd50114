"""One run as its page shows it: figures by turn limit, endings by turn, and the grid of turns."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import NoReverseMatch, reverse

from evaluation.intervals import Estimate
from evaluation.metrics import LIMITS, P_LEVELS
from evaluation.outcomes import Outcome
from leaderboard.models import OutcomeCount, Run, RunSummary, Trajectory
from leaderboard.outcomes_table import Tally, outcomes_present, tally
from leaderboard.rows import Cell


class Source(NamedTuple):
    """Who took the figures, on which hardware and by which protocol; never mixed."""

    provenance: str
    hardware: str
    protocol: str


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A run's figures over its first `k` turns; `fast` is in the order of `P_LEVELS`."""

    k: int
    cell: Cell
    fast: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class TurnLine:
    """How the trajectories of a run ended their turn `number`, with counts per outcome column."""

    number: int
    tally: Tally
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Square:
    """One cell of the grid: a turn, or, without an address, a turn that is not recorded.

    `outcome` is None where this source says nothing about the turn.
    """

    number: int
    outcome: Outcome | None
    speedup: float | None
    address: str | None


@dataclass(frozen=True, slots=True)
class GridRow:
    """One trajectory. `missing` is the number of turns between its last and the run's limit."""

    key: str
    squares: tuple[Square, ...]
    missing: int
    best_speedup: float | None


@dataclass(frozen=True, slots=True)
class RunSheet:
    """A run as one source has it; `grid` is empty where the turns are not loaded."""

    source: Source
    limits: tuple[LimitLine, ...]
    chosen: LimitLine | None
    outcomes: tuple[Outcome, ...]
    turns: tuple[TurnLine, ...]
    grid: tuple[GridRow, ...]


class _StoredTurn(NamedTuple):
    """A turn with one of its results; every field is None for a trajectory without turns."""

    number: int | None
    source: tuple[str | None, str | None, str | None]
    outcome: str | None
    speedup: float | None


class _Stored(NamedTuple):
    """Everything that is stored about a run: by source, and the turns by trajectory."""

    run: Run
    summaries: dict[Source, list[RunSummary]]
    endings: dict[Source, list[OutcomeCount]]
    turns: dict[str, list[_StoredTurn]]


def run_sheets(run: Run, k: int) -> tuple[RunSheet, ...]:
    """Return a sheet per source of the run's figures, in three queries."""
    stored = _Stored(run, defaultdict(list), defaultdict(list), _stored_turns(run))
    for row in RunSummary.objects.filter(run=run).order_by("provenance", "hardware", "k"):
        stored.summaries[Source(row.provenance, row.hardware, row.protocol)].append(row)
    for count in OutcomeCount.objects.filter(run=run).order_by("turn"):
        source = Source(count.provenance, count.hardware, count.protocol)
        stored.endings[source].append(count)
    return tuple(_sheet(stored, source, k) for source in stored.summaries)


def _sheet(stored: _Stored, source: Source, k: int) -> RunSheet:
    run = stored.run
    lines = {row.k: _limit_line(run, row) for row in stored.summaries[source]}
    outcomes, turns = _turn_lines(stored.endings[source])
    offered = {*LIMITS, k, run.turn_limit}
    return RunSheet(
        source=source,
        limits=tuple(line for limit, line in lines.items() if limit in offered),
        chosen=lines.get(k),
        outcomes=outcomes,
        turns=turns,
        grid=tuple(_grid_row(run, key, rows, source) for key, rows in stored.turns.items()),
    )


def _limit_line(run: Run, row: RunSummary) -> LimitLine:
    cell = Cell(run.workload.task.slug, row.figures, (run.slug,))
    return LimitLine(row.k, cell, tuple(cell.fast(p) for p in P_LEVELS))


def _turn_lines(
    counts: Iterable[OutcomeCount],
) -> tuple[tuple[Outcome, ...], tuple[TurnLine, ...]]:
    """Return the outcomes that occur, and a line per turn number."""
    by_turn: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for count in counts:
        by_turn[count.turn].append((count.outcome, count.count))
    tallies = {number: tally(pairs) for number, pairs in sorted(by_turn.items())}
    outcomes = outcomes_present(tallies.values())
    lines = (
        TurnLine(number, one, tuple(one.counts.get(outcome, 0) for outcome in outcomes))
        for number, one in tallies.items()
    )
    return outcomes, tuple(lines)


def _stored_turns(run: Run) -> dict[str, list[_StoredTurn]]:
    """Fetch the run's trajectories with their turns, in order, in one query."""
    found: dict[str, list[_StoredTurn]] = defaultdict(list)
    result = "turns__results__"
    rows = Trajectory.objects.filter(run=run).order_by("key", "turns__number")
    for key, number, provenance, hardware, protocol, outcome, speedup in rows.values_list(
        "key",
        "turns__number",
        f"{result}provenance",
        f"{result}hardware",
        f"{result}protocol",
        f"{result}outcome",
        f"{result}speedup",
    ):
        source = (provenance, hardware, protocol)
        found[key].append(_StoredTurn(number, source, outcome, speedup))
    return found


def _grid_row(run: Run, key: str, stored: Sequence[_StoredTurn], source: Source) -> GridRow:
    numbers = {turn.number for turn in stored if turn.number is not None}
    said = {turn.number: turn for turn in stored if turn.source == source}
    addresses = TurnAddresses(run.slug, key)
    squares = []
    for number in range(max(numbers, default=-1) + 1):
        turn = said.get(number)
        outcome = Outcome(turn.outcome) if turn and turn.outcome else None
        address = addresses.of(number) if number in numbers else None
        squares.append(Square(number, outcome, turn.speedup if turn else None, address))
    best = [s.speedup for s in squares if s.speedup and s.outcome and s.outcome.target_passed]
    return GridRow(
        key, tuple(squares), max(0, run.turn_limit - len(squares)), max(best, default=None)
    )


class TurnAddresses:
    """Addresses of a trajectory's turns; resolved once, because a grid has hundreds."""

    def __init__(self, run: str, trajectory: str) -> None:
        try:
            self._first = reverse("turn", args=[run, trajectory, 0])
        except NoReverseMatch:  # a key that no address can hold, such as one with a slash
            self._first = ""

    def of(self, number: int) -> str | None:
        """Return the address of one turn; None if the trajectory's key fits in none."""
        return f"{self._first.removesuffix('0/')}{number}/" if self._first else None
