"""Models side by side, on matched cells only.

A cell is matched if every compared model has figures for the task on the same
architecture and hardware, of the same provenance, protocol, prompt set and origin.
Differences are against the first model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.db.models import Sum

from evaluation.intervals import Difference, Estimate, Moments, difference, mean_over_cells
from evaluation.metrics import Summary
from evaluation.outcomes import Outcome
from leaderboard.failures import Endings
from leaderboard.filters import Filters
from leaderboard.models import ModelEntry, OutcomeCount
from leaderboard.models.choices import Origin
from leaderboard.rows import Cell, Row, count_moments, frontier_moments
from leaderboard.standings import standings

FEWEST, MOST = 2, 6
"""How many models can be compared at a time."""


class Metric(StrEnum):
    """What is compared, in the order of the stages."""

    CORRECT = "correct"
    TARGET = "target"
    FAST = "fast"
    FRONTIER = "frontier"


STAGE_METRICS = (Metric.CORRECT, Metric.TARGET, Metric.FAST)
"""The metrics that count trajectories which got through something."""


class Why(StrEnum):
    """Why a task cannot be compared."""

    NO_FIGURES = "no_figures"
    FEW_TURNS = "few_turns"
    OTHER_ORIGIN = "other_origin"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A task that is not shared, and what each model that lacks it lacks."""

    task: str
    lacking: tuple[tuple[str, Why], ...]


@dataclass(frozen=True, slots=True)
class Value:
    """One model's figure, and its difference from the first model's (None for that one)."""

    estimate: Estimate | None
    difference: Difference | None = None

    @property
    def clear(self) -> bool:
        """Whether the interval of the difference leaves 0 out."""
        gap = self.difference
        return gap is not None and not gap.low <= 0 <= gap.high


@dataclass(frozen=True, slots=True)
class Line:
    """One metric on one task, or its mean over the shared tasks (task None), per model."""

    task: str | None
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Tasks that one of two models gets through at least once and the other never does."""

    metric: Metric
    only_first: tuple[str, ...]
    only_other: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contender:
    """A compared model: its cells on the shared tasks, and how its turns ended there."""

    slug: str
    name: str
    cells: tuple[Cell, ...]
    endings: Endings

    @property
    def figures(self) -> tuple[Summary, ...]:
        """The figures of its cells."""
        return tuple(cell.figures for cell in self.cells if cell.figures)

    @property
    def trajectories(self) -> int:
        """Trajectories behind its cells."""
        return sum(figures.trajectories for figures in self.figures)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The compared models in the order asked for, and the tasks that all of them share."""

    filters: Filters
    origin: str
    models: tuple[Contender, ...]
    tasks: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    def lines(self, metric: Metric) -> tuple[Line, ...]:
        """Return the mean over the shared tasks, then a line per task."""
        samples = [[_moments(f, metric, self.filters.p) for f in m.figures] for m in self.models]
        lines = [_line(task, [[s[i]] for s in samples]) for i, task in enumerate(self.tasks)]
        return (_line(None, samples), *lines) if lines else ()

    def splits(self, other: Contender) -> tuple[Split, ...]:
        """Return per stage what only the first model, and what only `other` gets through."""
        return tuple(self._split(metric, self.models[0], other) for metric in STAGE_METRICS)

    def _split(self, metric: Metric, first: Contender, other: Contender) -> Split:
        ours, theirs = (self._reached(metric, model) for model in (first, other))
        return Split(
            metric,
            tuple(task for task in self.tasks if task in ours - theirs),
            tuple(task for task in self.tasks if task in theirs - ours),
        )

    def _reached(self, metric: Metric, model: Contender) -> set[str]:
        return {
            task
            for task, figures in zip(self.tasks, model.figures, strict=True)
            if _moments(figures, metric, self.filters.p).total > 0
        }


def compare_models(filters: Filters, entries: Sequence[ModelEntry]) -> Comparison:
    """Compare `entries`, the first being what the others are measured against.

    The filters on entries (kind, weights, dates) choose no models here: the models
    are named.
    """
    found = standings(replace(filters, kind="", open=None, since=None, until=None, sort="rank"))
    rows = {(row.entry.slug, row.entry.origin): row for row in found.rows}
    slugs = [entry.slug for entry in entries]
    # Published figures first; others only where more tasks are shared among them.
    origin = max(Origin.values, key=lambda o: len(_shared(rows, slugs, o, found.tasks)))
    tasks = _shared(rows, slugs, origin, found.tasks)
    cells = {slug: [_cell(rows, slug, origin, task) for task in tasks] for slug in slugs}
    endings = _endings(filters, [cell for members in cells.values() for cell in members])
    left = (_left_out(rows, entries, origin, task) for task in found.tasks if task not in tasks)
    models = [
        Contender(e.slug, e.name, tuple(cells[e.slug]), endings.get(e.slug, Endings()))
        for e in entries
    ]
    return Comparison(filters, origin, tuple(models), tasks, tuple(left))


Rows = dict[tuple[str, str], Row]


def _cell(rows: Rows, slug: str, origin: str, task: str) -> Cell:
    row = rows.get((slug, origin))
    cells = row.cells if row else ()
    return next((cell for cell in cells if cell.task == task), Cell(task, None, ()))


def _comparable(cell: Cell) -> bool:
    return cell.figures is not None and cell.figures.trajectories > 0


def _shared(rows: Rows, slugs: Sequence[str], origin: str, tasks: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        task
        for task in tasks
        if all(_comparable(_cell(rows, slug, origin, task)) for slug in slugs)
    )


def _left_out(rows: Rows, entries: Sequence[ModelEntry], origin: str, task: str) -> LeftOut:
    lacking = ((entry.name, _why(rows, entry.slug, origin, task)) for entry in entries)
    return LeftOut(task, tuple((name, why) for name, why in lacking if why))


def _why(rows: Rows, slug: str, origin: str, task: str) -> Why | None:
    """Return what the model lacks on this task; None if it lacks nothing."""
    cell = _cell(rows, slug, origin, task)
    if _comparable(cell):
        return None
    if any(_comparable(_cell(rows, slug, other, task)) for other in Origin.values):
        return Why.OTHER_ORIGIN
    return Why.FEW_TURNS if cell.runs else Why.NO_FIGURES


def _endings(filters: Filters, cells: Sequence[Cell]) -> dict[str, Endings]:
    """Return how the first k turns of the compared cells ended, by model."""
    counts = OutcomeCount.objects.filter(
        run__slug__in=[run for cell in cells for run in cell.runs],
        # A cell pools the runs that reach k turns, so only their turns belong to it.
        run__turn_limit__gte=filters.k,
        provenance=filters.provenance,
        hardware=filters.hw,
        protocol=filters.protocol,
        turn__lt=filters.k,
    )
    rows = counts.order_by().values_list("run__entry__slug", "outcome").annotate(n=Sum("count"))
    found: dict[str, dict[Outcome, int]] = {}
    for slug, outcome, turns in rows:
        found.setdefault(slug, {})[Outcome(outcome)] = turns
    return {slug: Endings(outcomes) for slug, outcomes in found.items()}


def _moments(figures: Summary, metric: Metric, p: float) -> Moments:
    counts: dict[Metric, Callable[[], int]] = {
        Metric.CORRECT: lambda: figures.correct,
        Metric.TARGET: lambda: figures.target,
        Metric.FAST: lambda: figures.fast_count(p),
    }
    if metric is Metric.FRONTIER:
        return frontier_moments(figures)
    return count_moments(figures, counts[metric]())


def _line(task: str | None, samples: Sequence[Sequence[Moments]]) -> Line:
    first = samples[0]
    values = [Value(mean_over_cells(first))]
    values += [Value(mean_over_cells(other), difference(other, first)) for other in samples[1:]]
    return Line(task, tuple(values))
