"""The bundled figures: published results as figures per run, without any turn.

Five CSV files beside this module hold what a ranking needs. They are made from an
import of the published tables (`make figures`), so that a machine without those
tables shows the same ranking. Source: Zhang et al., arXiv 2608.17379 (2026),
data under Apache-2.0.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).parent

COLUMNS: Mapping[str, Sequence[str]] = {
    "models": (
        "name",
        "kind",
        "base",
        "organisation",
        "open_weights",
        "released",
        "released_as_published",
        "released_note",
        "released_source",
    ),
    "reference_dates": ("kind", "name", "architecture", "released", "as_published"),
    "runs": (
        "run",
        "model",
        "task",
        "workload",
        "architecture",
        "prompt_set",
        "turn_limit",
        "provenance",
        "hardware",
        "protocol",
    ),
    "run_summaries": (
        "run",
        "k",
        "trajectories",
        "turns",
        "correct",
        "target",
        "fast_25",
        "fast_50",
        "fast_80",
        "fast_100",
        "sum_s",
        "sum_s2",
        "best_speedup",
        "undecided",
    ),
    "outcome_counts": ("run", "turn", "outcome", "count"),
}
"""Columns of each file. `run` is the last part of the run's source key."""


class FiguresError(ValueError):
    """A file of figures that cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The rows of the five files, as text; an empty text is a missing value."""

    models: list[dict[str, str]]
    reference_dates: list[dict[str, str]]
    runs: list[dict[str, str]]
    run_summaries: list[dict[str, str]]
    outcome_counts: list[dict[str, str]]


def read_figures(directory: Path = DIRECTORY) -> Figures:
    """Read the bundled figures. Raises `FiguresError` for a missing file or other columns."""
    return Figures(**{name: _read(directory / f"{name}.csv", COLUMNS[name]) for name in COLUMNS})


def write_figures(name: str, rows: Iterable[Sequence[object]], directory: Path) -> int:
    """Write one file of figures and return its number of rows; None becomes an empty text."""
    written = 0
    with (directory / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS[name])
        for row in rows:
            writer.writerow(row)
            written += 1
    return written


def _read(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            if tuple(reader.fieldnames or ()) != tuple(columns):
                raise FiguresError(f"{path.name}: expected the columns {', '.join(columns)}")
            return list(reader)
    except OSError as error:
        raise FiguresError(f"{path.name}: {error.strerror}") from error
