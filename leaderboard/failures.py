"""How turns end, by model, task and architecture, from the summary tables alone.

One query fetches a row per run and outcome, so the cost grows with the number of
runs and not with that of their turns.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from django.db.models import Q, Sum

from evaluation.architectures import ARCHITECTURES
from evaluation.outcomes import Outcome, Stage
from leaderboard.filters import Filters, default_hardware
from leaderboard.models import OutcomeCount
from leaderboard.words import outcome_letter

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the turns in question: `count` of `total`, named by their main outcome."""

    outcome: Outcome
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share of all turns in question, in [0, 1]."""
        return self.count / self.total

    @property
    def stage(self) -> Stage:
        """The stage at which these turns end."""
        return self.outcome.stage


@dataclass(frozen=True, slots=True)
class Endings:
    """How many turns ended with each outcome; outcomes that never came are left out."""

    counts: Mapping[Outcome, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Turns in question."""
        return sum(self.counts.values())

    @property
    def reasons(self) -> tuple[Part, ...]:
        """A part per outcome, in the protocol's order."""
        total = self.total
        return tuple(Part(o, self.counts[o], total) for o in Outcome if self.counts.get(o))

    @property
    def letters(self) -> tuple[Part, ...]:
        """A part per letter (E, T, S, F, X, ?), each named by its most frequent outcome."""
        groups: dict[str, list[Part]] = defaultdict(list)
        for part in self.reasons:
            groups[outcome_letter(part.outcome)].append(part)
        return tuple(
            Part(_largest(group).outcome, sum(part.count for part in group), self.total)
            for group in groups.values()
        )

    @property
    def main(self) -> Part | None:
        """Where most turns die, the earlier stage of two equals; None without turns.

        Turns that passed did not die: they are the answer only where every turn passed.
        """
        dead = [part for part in self.letters if part.stage is not Stage.PASSED]
        return _largest(dead or self.letters) if self.counts else None

    def count(self, outcomes: Collection[Outcome]) -> int:
        """Turns that ended with one of these outcomes."""
        return sum(self.counts.get(outcome, 0) for outcome in outcomes)


def _largest(parts: Iterable[Part]) -> Part:
    return max(parts, key=lambda part: part.count)


def added(members: Iterable[Endings]) -> Endings:
    """Return the turns of several together."""
    counts: dict[Outcome, int] = defaultdict(int)
    for member in members:
        for outcome, count in member.counts.items():
            counts[outcome] += count
    return Endings(dict(counts))


@dataclass(frozen=True, slots=True)
class RunEndings:
    """How the turns of one run ended."""

    run: str
    model: str
    model_name: str
    origin: str
    task: str
    architecture: str
    hardware: str
    endings: Endings


_FIELDS = {
    "run": "run__slug",
    "model": "run__entry__slug",
    "model_name": "run__entry__name",
    "origin": "run__origin",
    "task": "run__workload__task__slug",
    "architecture": "run__architecture",
    "hardware": "hardware",
}
"""What is known of a run besides its endings, and where it is stored."""


def run_endings(filters: Filters, model: str = "") -> list[RunEndings]:
    """Return how the first k turns of the selected runs ended, for every architecture.

    `filters.hw` holds for its own architecture; the others are on their default
    hardware. `model` is the slug of the one model to look at. Ordered by model and run.
    """
    rows = (
        OutcomeCount.objects.filter(_hardware(filters), _entries(filters, model))
        .filter(
            provenance=filters.provenance,
            protocol=filters.protocol,
            turn__lt=filters.k,
            run__prompt_set=filters.prompt,
            run__workload__published=True,
            run__workload__task__slug__in=filters.task_slugs,
        )
        .order_by("run__entry__name", "run__slug")
        .values_list(*_FIELDS.values(), "outcome")
        .annotate(turns=Sum("count"))
    )
    counts: dict[tuple[str, ...], dict[Outcome, int]] = defaultdict(dict)
    for *about, outcome, turns in rows:
        if turns:
            counts[tuple(about)][Outcome(outcome)] = turns
    return [
        RunEndings(**dict(zip(_FIELDS, about, strict=True)), endings=Endings(found))
        for about, found in counts.items()
    ]


def _hardware(filters: Filters) -> Q:
    chosen = Q()
    for arch in ARCHITECTURES:
        own = arch == filters.arch
        hardware = filters.hw if own else default_hardware(arch, filters.provenance)
        chosen |= Q(run__architecture=arch, hardware=hardware)
    return chosen


def _entries(filters: Filters, model: str) -> Q:
    """The filters on entries; an unknown date passes no bound, as in the ranking."""
    wanted = {
        "slug": model,
        "kind": filters.kind,
        "open_weights": filters.open,
        "released__gte": filters.since,
        "released__lte": filters.until,
    }
    given = {name: value for name, value in wanted.items() if value not in ("", None)}
    return Q(**{f"run__entry__{name}": value for name, value in given.items()})


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one task: how its turns ended, and in which runs."""

    task: str
    endings: Endings
    runs: tuple[RunEndings, ...]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model, with a cell per task. Runs of different origins make rows of their own."""

    model: str
    name: str
    origin: str
    cells: tuple[Cell, ...]

    @property
    def endings(self) -> Endings:
        """The turns of all cells together."""
        return added(cell.endings for cell in self.cells)


def by_model(runs: Iterable[RunEndings], tasks: Iterable[str]) -> list[ModelRow]:
    """Return a row per model and origin, in the order of `runs`, with a cell per task."""
    tasks = tuple(tasks)
    grouped = _grouped(runs, lambda run: (run.model, run.model_name, run.origin))
    return [
        ModelRow(*about, tuple(_cell(task, members) for task in tasks))
        for about, members in grouped.items()
    ]


def _cell(task: str, runs: Iterable[RunEndings]) -> Cell:
    members = tuple(run for run in runs if run.task == task)
    return Cell(task, added(run.endings for run in members), members)


def by_task(runs: Iterable[RunEndings], tasks: Iterable[str]) -> dict[str, Endings]:
    """Return the turns of all models by task; tasks without turns are left out."""
    grouped = _grouped(runs, lambda run: run.task)
    return {t: added(run.endings for run in grouped[t]) for t in tasks if t in grouped}


def across_architectures(
    runs: Iterable[RunEndings], tasks: Iterable[str]
) -> dict[str, dict[str, Endings]]:
    """Return turns by task and architecture, of models that have runs on every one.

    A model that was run on one architecture only would move that side alone, so it is
    left out, task by task. A task without such models has no entry.
    """
    found: dict[str, dict[str, Endings]] = {}
    by_name = _grouped(runs, lambda run: run.task)
    for task in tasks:
        models = _grouped(by_name.get(task, []), lambda run: (run.model, run.origin)).values()
        matched = [m for m in models if {run.architecture for run in m} == set(ARCHITECTURES)]
        if matched:
            by_arch = _grouped((r for m in matched for r in m), lambda run: run.architecture)
            found[task] = {a: added(run.endings for run in by_arch[a]) for a in ARCHITECTURES}
    return found


def _grouped(
    runs: Iterable[RunEndings], key: Callable[[RunEndings], Key]
) -> dict[Key, list[RunEndings]]:
    groups: dict[Key, list[RunEndings]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups
