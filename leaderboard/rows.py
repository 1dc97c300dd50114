"""The values a ranking consists of: entries, cells, rows."""

from dataclasses import dataclass
from datetime import date

from evaluation.intervals import Estimate, Moments, mean_over_cells, wilson
from evaluation.metrics import Summary
from evaluation.ranking import Lack
from leaderboard.filters import Filters


@dataclass(frozen=True, slots=True)
class Entry:
    """The model entry of a row, as far as a ranking needs it."""

    id: int
    slug: str
    name: str
    kind: str
    base_slug: str | None
    base_name: str | None
    organisation: str
    open_weights: bool | None
    released: date | None
    released_note: str
    origin: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one task: figures over the first k turns of its trajectories.

    `figures` is None where no run of the model reaches k turns.
    """

    task: str
    figures: Summary | None
    runs: tuple[str, ...]

    @property
    def frontier(self) -> Estimate | None:
        """Mean frontier share with its 95% interval."""
        return mean_over_cells([frontier_moments(self.figures)]) if self.figures else None

    @property
    def correct(self) -> Estimate | None:
        """Share of trajectories with a correct turn."""
        return self._share(self.figures.correct) if self.figures else None

    @property
    def target(self) -> Estimate | None:
        """Share of trajectories with a turn that passed the target stage."""
        return self._share(self.figures.target) if self.figures else None

    def fast(self, p: float) -> Estimate | None:
        """Share of trajectories with a stage-2 turn at speedup ≥ `p`."""
        return self._share(self.figures.fast_count(p)) if self.figures else None

    @property
    def beats_library(self) -> bool:
        """Whether some turn that passed the target stage is at least as fast as the baseline."""
        return self.figures is not None and self.figures.fast_count(1.0) > 0

    def _share(self, count: int) -> Estimate | None:
        return wilson(count, self.figures.trajectories) if self.figures else None


@dataclass(frozen=True, slots=True)
class Row:
    """One model entry in a ranking. Means over tasks exist only where every task has figures."""

    entry: Entry
    cells: tuple[Cell, ...]
    rank: int | None
    rank_range: tuple[int, int] | None
    frontier: Estimate | None
    correct: Estimate | None
    target: Estimate | None
    fast: Estimate | None
    lacks: tuple[Lack, ...]

    @property
    def trajectories(self) -> int:
        """Trajectories behind the row, over all its tasks."""
        return sum(cell.figures.trajectories for cell in self.cells if cell.figures)

    @property
    def beats_library(self) -> bool:
        """Whether the model beats the library in some cell."""
        return any(cell.beats_library for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Standings:
    """The rows of a ranking in the order asked for, and the choice they answer."""

    filters: Filters
    tasks: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def ranked(self) -> tuple[Row, ...]:
        """Rows that have a rank, best first whatever the order of the table."""
        return tuple(sorted((row for row in self.rows if row.rank is not None), key=quality))


def frontier_moments(figures: Summary) -> Moments:
    """Return what the interval of a mean frontier share needs."""
    return Moments(figures.trajectories, figures.sum_s, figures.sum_s2)


def count_moments(figures: Summary, count: int) -> Moments:
    """Return what the interval of a mean of shares needs."""
    return Moments(figures.trajectories, float(count), float(count))


def quality(row: Row) -> tuple[bool, float, float, float, str]:
    """Return the sorting key of the ranking: ranked rows first, the best on top, then by name."""
    figures = (row.frontier, row.target, row.correct)
    frontier, target, correct = (-estimate.mean if estimate else 1.0 for estimate in figures)
    return (row.rank is None, frontier, target, correct, row.entry.name)
