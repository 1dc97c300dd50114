"""The CSV tables: which columns they have, and how rows become cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from evaluation.intervals import Estimate
from evaluation.outcomes import Outcome
from evaluation.tasks import flops_formula, matmul_flops, minimum_bytes
from leaderboard.api.serializers.catalog import catalog_task
from leaderboard.models import Run, RunSummary, Task
from leaderboard.models.summaries import SUMMARY_FIELDS
from leaderboard.rows import Cell, Row, Standings

Cells = tuple[object, ...]

MODEL_COLUMNS = (
    "slug",
    "name",
    "kind",
    "base",
    "organisation",
    "open_weights",
    "released",
    "released_as_published",
    "released_note",
    "released_source",
    "runs",
)
WORKLOAD_COLUMNS = (
    "task",
    "title",
    "family",
    "core",
    "defined",
    "workload",
    "axes",
    "published",
    "flops",
    "minimum_bytes",
    "flops_formula",
)
RUN_COLUMNS = (
    "slug",
    "source_key",
    "model",
    "task",
    "workload",
    "architecture",
    "prompt_set",
    "origin",
    "turn_limit",
)
SOURCE_COLUMNS = ("provenance", "hardware", "protocol")
RUN_SUMMARY_COLUMNS = ("run", *SOURCE_COLUMNS, "k", *SUMMARY_FIELDS)

_TURN_FIELDS = {
    "run": "turn__trajectory__run__slug",
    "model": "turn__trajectory__run__entry__slug",
    "task": "turn__trajectory__run__workload__task__slug",
    "architecture": "turn__trajectory__run__architecture",
    "trajectory": "turn__trajectory__key",
    "number": "turn__number",
    "kernel": "turn__kernel__sha256",
    "reasoning_tokens": "turn__reasoning_tokens",
    "provenance": "provenance",
    "hardware": "hardware",
    "protocol": "protocol",
    "reason": "reason",
    "target_passed": "target_passed",
    "speedup": "speedup",
    "outcome": "outcome",
}
TURN_COLUMNS = (*_TURN_FIELDS, "stage")

_ENTRY_COLUMNS = ("slug", "name", "kind", "base", "organisation", "open_weights", "released")
_ESTIMATES = ("frontier_share", "correct", "target", "fast")
_ENDS = ("", "_low", "_high")
STANDINGS_COLUMNS = (
    "rank",
    "rank_best",
    "rank_worst",
    *(f"model_{name}" for name in _ENTRY_COLUMNS),
    "origin",
    *(f"{name}{end}" for name in _ESTIMATES for end in _ENDS),
    "trajectories",
    "beats_library",
    "lacks",
)
CELL_COLUMNS = (
    "trajectories",
    "correct",
    "target",
    "fast",
    "frontier_share",
    "frontier_share_low",
    "frontier_share_high",
    "best_speedup",
    "undecided",
)
CHOICE_COLUMNS = ("architecture", "hardware", "provenance", "protocol", "prompt_set", "k", "p")


def model_rows(models: Iterable[Any]) -> Iterator[Cells]:
    """Yield a row per model entry that knows its `run_count`."""
    for one in models:
        special = {"base": one.base.slug if one.base else None, "runs": one.run_count}
        yield tuple(
            special[name] if name in special else getattr(one, name) for name in MODEL_COLUMNS
        )


def workload_rows(tasks: Iterable[Task]) -> Iterator[Cells]:
    """Yield a row per workload of each task."""
    for task in tasks:
        known = catalog_task(task)
        for workload in task.workloads.all():
            yield (
                *(getattr(task, name) for name in ("slug", "title", "family", "core", "defined")),
                *(workload.uuid, workload.label, workload.published),
                matmul_flops(known, workload.axes) if known else None,
                minimum_bytes(known, workload.axes) if known else None,
                flops_formula(known) if known else "",
            )


def run_rows(runs: Iterable[Run]) -> Iterator[Cells]:
    """Yield a row per run."""
    values = attrgetter("slug", "short_key", "entry.slug", "workload.task.slug", *RUN_FIELDS)
    for run in runs:
        yield values(run)


RUN_FIELDS = ("workload_id", "architecture", "prompt_set", "origin", "turn_limit")


def run_summary_rows(run: Run, summaries: Iterable[RunSummary]) -> Iterator[Cells]:
    """Yield a row per source of the run's figures and turn limit."""
    for row in summaries:
        yield (run.slug, *(getattr(row, name) for name in RUN_SUMMARY_COLUMNS[1:]))


def turn_rows(results: Any) -> Iterator[Cells]:
    """Yield a row per turn and source, of a queryset of results."""
    stages = {outcome.value: outcome.stage.value for outcome in Outcome}
    for row in results.values_list(*_TURN_FIELDS.values()).iterator(chunk_size=2000):
        yield (*row, stages[row[-1]])


def standings_columns(tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a ranking over `tasks`."""
    cells = (f"{task}_{name}" for task in tasks for name in CELL_COLUMNS)
    return (*STANDINGS_COLUMNS, *cells, *CHOICE_COLUMNS)


def standings_rows(result: Standings) -> Iterator[Cells]:
    """Yield a row per model entry; the last columns repeat the choice that it answers."""
    chosen = result.filters
    choice = (
        *(chosen.arch, chosen.hw, chosen.provenance, chosen.protocol),
        *(chosen.prompt, chosen.k, chosen.p),
    )
    for row in result.rows:
        cells = (value for cell in row.cells for value in _cell_values(cell, chosen.p))
        yield (*_row_values(row), *cells, *choice)


def _row_values(row: Row) -> Cells:
    entry = row.entry
    special: Mapping[str, object] = {"base": entry.base_slug}
    return (
        row.rank,
        *(row.rank_range or (None, None)),
        *(special[n] if n in special else getattr(entry, n) for n in _ENTRY_COLUMNS),
        entry.origin,
        *_ends(row.frontier),
        *_ends(row.correct),
        *_ends(row.target),
        *_ends(row.fast),
        row.trajectories,
        row.beats_library,
        "; ".join(f"{lack.task}: {lack.reason}" for lack in row.lacks),
    )


def _cell_values(cell: Cell, p: float) -> Cells:
    figures = cell.figures
    if figures is None:
        return (None,) * len(CELL_COLUMNS)
    return (
        *(figures.trajectories, figures.correct, figures.target, figures.fast_count(p)),
        *_ends(cell.frontier),
        figures.best_speedup,
        figures.undecided,
    )


def _ends(value: Estimate | None) -> Cells:
    return (value.mean, value.low, value.high) if value else (None, None, None)
