"""One model's figures: a section per way in which they were taken, a line per task.

Sections differ in architecture, hardware, provenance, protocol, prompt set or origin,
and are never pooled. Everything comes from `RunSummary` and `OutcomeCount`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from evaluation.architectures import ARCHITECTURES
from evaluation.intervals import Estimate, mean_over_cells
from evaluation.metrics import Summary
from evaluation.tasks import CORE_TASKS
from leaderboard.filters import Filters
from leaderboard.models import ModelEntry, OutcomeCount, Run, RunSummary, Task, Workload
from leaderboard.models.choices import Origin
from leaderboard.outcomes_table import Tally, tally
from leaderboard.rows import Cell, count_moments, frontier_moments


class Source(NamedTuple):
    """How the figures of a section were taken."""

    architecture: str
    provenance: str
    hardware: str
    protocol: str
    origin: str
    prompt_set: str


@dataclass(frozen=True, slots=True)
class Line:
    """One workload of a section: figures at k, the runs behind them, and how turns ended."""

    task: Task
    workload: Workload
    cell: Cell
    fast: Estimate | None
    runs: tuple[Run, ...]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Step:
    """Means over a section's tasks after `k` turns; None where a task has no figures at k."""

    k: int
    correct: Estimate | None
    target: Estimate | None
    fast: Estimate | None
    frontier: Estimate | None


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that were taken in the same way. `progress` is over the tasks in `progress_tasks`."""

    source: Source
    lines: tuple[Line, ...]
    progress: tuple[Step, ...]
    progress_tasks: tuple[Task, ...]

    @property
    def over_core(self) -> bool:
        """Whether the progress is the mean over the five core tasks."""
        return {task.slug for task in self.progress_tasks} == set(CORE_TASKS)

    @property
    def origin(self) -> str:
        """How the runs came here, in the active language."""
        return str(Origin(self.source.origin).label)

    @property
    def undecided(self) -> int:
        """Number of undecided turns at k, over all tasks."""
        return sum(line.cell.figures.undecided for line in self.lines if line.cell.figures)

    @property
    def tally(self) -> Tally:
        """How the turns of all tasks ended."""
        pairs = [(o.value, n) for line in self.lines for o, n in line.tally.counts.items()]
        return tally(pairs)

    def filters(self, k: int, p: float) -> Filters:
        """Return the filters of the ranking that these figures count in."""
        source = self.source
        return Filters(
            arch=source.architecture,
            hw=source.hardware,
            provenance=source.provenance,
            prompt=source.prompt_set,
            k=k,
            p=p,
        )


class _Stored(NamedTuple):
    """A run's summaries by k."""

    run: Run
    by_limit: dict[int, Summary]


def sections(entry: ModelEntry, k: int, p: float) -> tuple[Section, ...]:
    """Return the sections of `entry`'s figures at turn limit `k`, in two queries."""
    rows = RunSummary.objects.filter(run__entry=entry).select_related("run__workload__task")
    stored = sorted(rows, key=_place)
    endings = _endings(entry, k)
    return tuple(
        _section(source, list(group), endings, k, p) for source, group in groupby(stored, _source)
    )


def _source(row: RunSummary) -> Source:
    run = row.run
    return Source(
        run.architecture, row.provenance, row.hardware, row.protocol, run.origin, run.prompt_set
    )


def _place(row: RunSummary) -> tuple:
    """Return the sorting key: the standard prompt set first, then tasks in catalog order."""
    source, workload = _source(row), row.run.workload
    other = source.prompt_set != "standard"
    where = (list(ARCHITECTURES).index(source.architecture), other, source)
    return (*where, workload.task.order, str(workload.pk), row.run.slug, row.k)


Endings = dict[tuple[int, str, str, str], list[tuple[str, int]]]


def _endings(entry: ModelEntry, k: int) -> Endings:
    """Count the outcomes of the first `k` turns, by run and who said so."""
    rows = OutcomeCount.objects.filter(run__entry=entry, turn__lt=k).values_list(
        "run_id", "provenance", "hardware", "protocol", "outcome", "count"
    )
    found: Endings = {}
    for run, provenance, hardware, protocol, outcome, count in rows:
        found.setdefault((run, provenance, hardware, protocol), []).append((outcome, count))
    return found


def _section(source: Source, rows: list[RunSummary], endings: Endings, k: int, p: float) -> Section:
    lines: list[Line] = []
    members: list[list[_Stored]] = []
    for _workload, group in groupby(rows, lambda row: row.run.workload_id):
        runs = [_stored(list(rows_of_run)) for _run, rows_of_run in groupby(group, _run_id)]
        members.append(runs)
        lines.append(_line(source, runs, endings, k, p))
    chosen = _for_progress(lines)
    return Section(
        source,
        tuple(lines),
        _progress([members[place] for place in chosen], p),
        tuple(lines[place].task for place in chosen),
    )


def _run_id(row: RunSummary) -> int:
    return row.run.pk


def _stored(rows: list[RunSummary]) -> _Stored:
    return _Stored(rows[0].run, {row.k: row.figures for row in rows})


def _line(source: Source, runs: list[_Stored], endings: Endings, k: int, p: float) -> Line:
    workload = runs[0].run.workload
    cell = Cell(workload.task.slug, _pooled(runs, k), tuple(one.run.slug for one in runs))
    said = (source.provenance, source.hardware, source.protocol)
    counts = [pair for one in runs for pair in endings.get((one.run.pk, *said), ())]
    return Line(
        workload.task,
        workload,
        cell,
        cell.fast(p),
        tuple(one.run for one in runs),
        tally(counts),
    )


def _pooled(runs: Iterable[_Stored], k: int) -> Summary | None:
    """Pool repeated runs of one workload; those that do not reach k have no figures."""
    reaching = [one.by_limit[k] for one in runs if k in one.by_limit]
    return sum(reaching[1:], start=reaching[0]) if reaching else None


def _for_progress(lines: Sequence[Line]) -> list[int]:
    """Return the places of the core tasks if all are there, else of every line."""
    core = [
        place
        for place, line in enumerate(lines)
        if line.task.slug in CORE_TASKS and line.workload.published
    ]
    return core if len(core) == len(CORE_TASKS) else list(range(len(lines)))


def _progress(members: list[list[_Stored]], p: float) -> tuple[Step, ...]:
    limits = {k for runs in members for one in runs for k in one.by_limit}
    return tuple(_step(k, [_pooled(runs, k) for runs in members], p) for k in sorted(limits))


def _step(k: int, found: list[Summary | None], p: float) -> Step:
    figures = [one for one in found if one]
    if len(figures) < len(found):
        return Step(k, None, None, None, None)
    return Step(
        k,
        mean_over_cells([count_moments(f, f.correct) for f in figures]),
        mean_over_cells([count_moments(f, f.target) for f in figures]),
        mean_over_cells([count_moments(f, f.fast_count(p)) for f in figures]),
        mean_over_cells([frontier_moments(f) for f in figures]),
    )
