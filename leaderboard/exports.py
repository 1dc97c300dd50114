"""Tables of figures as CSV, with cells that no spreadsheet takes for a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from evaluation.metrics import LIMITS
from leaderboard.models import RunSummary

SUMMARY_COLUMNS = (
    "source_run",
    "model",
    "architecture",
    "task",
    "turn_limit",
    "trajectories",
    "correct",
    "target_executed",
    "fast",
    "best_speedup",
)

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Writable(Protocol):
    """Anything with a `write` method for text."""

    def write(self, text: str, /) -> object:
        """Take a piece of text."""


def inert(cell: object) -> object:
    """Return a cell that a spreadsheet shows as text, whatever a user put into it."""
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        return f"'{cell}"
    return "" if cell is None else cell


def write_csv(out: Writable, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write a header and rows with inert cells; return the number of rows."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    written = 0
    for row in rows:
        writer.writerow([inert(cell) for cell in row])
        written += 1
    return written


def summary_rows(p: float) -> Iterator[tuple[object, ...]]:
    """Yield a row per run and offered turn limit: counts of trajectories, and the best speedup.

    `fast` counts trajectories with a stage-2 turn at speedup ≥ `p`.
    """
    summaries = RunSummary.objects.filter(k__in=LIMITS).select_related(
        "run__entry", "run__workload__task"
    )
    for row in summaries.order_by("run__source_key", "provenance", "hardware", "protocol", "k"):
        figures = row.figures
        yield (
            row.run.source_key,
            row.run.entry.name,
            row.run.architecture,
            row.run.workload.task.slug,
            row.k,
            figures.trajectories,
            figures.correct,
            figures.target,
            figures.fast_count(p),
            figures.best_speedup,
        )
