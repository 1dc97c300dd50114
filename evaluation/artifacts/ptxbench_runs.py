"""PTXBench's table of runs, `experiments.csv`."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.architectures import ARCHITECTURES
from evaluation.artifacts.csv_rows import read_rows
from evaluation.artifacts.problems import Problem, ProblemLog, shown
from evaluation.artifacts.ptxbench_records import MAX_NAME, PromptSet

EXPERIMENTS = "experiments.csv"

_COLUMNS = ("model", "arch", "definition", "workload", "exp_dir")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_EARLIER = ("2026-0609-2240", "2026-0609-2340")


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as listed, still without its turns."""

    line: int
    model: str
    architecture: str
    task: str
    workload_uuid: str
    source_key: str


@dataclass(slots=True)
class RunList:
    """Runs by key in the table's order, and what could not be kept."""

    runs: dict[str, RunRow] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)
    first_lines: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    problems: list[Problem] = field(default_factory=list)


def read_runs(directory: Path, known_tasks: Collection[str]) -> RunList:
    """Read the runs. One that cannot be understood is left out, counted and reported.

    `rejected` holds the line of each run left out, by key, and `first_lines` the
    first line of each model that has a run, by name. Raises `TablesError` if the
    table cannot be understood.
    """
    log = ProblemLog(EXPERIMENTS)
    rows, left_out = read_rows(directory / EXPERIMENTS, _COLUMNS, log)
    found = RunList(left_out=left_out)
    for line, (model, architecture, task, workload, key) in rows:
        row = RunRow(line, model, architecture, task, workload.lower(), key)
        faults = _faults(row, known_tasks)
        if key in found.runs:
            faults.append(f"exp_dir {shown(key)} is line {found.runs[key].line}'s too")
        if faults:
            log.add("error", line, f"{'; '.join(faults)}; run left out")
            found.left_out += 1
            found.rejected.setdefault(key, line)
        else:
            found.runs[key] = row
            found.first_lines.setdefault(model, line)
    found.problems = log.sorted()
    return found


def prompt_set(task: str, source_key: str) -> PromptSet:
    """Which prompts a run used; PTXBench says so only in the last part of `exp_dir`.

    `earlier` is inferred: those two attention runs repeat cells that a later run
    also fills, and their names hold nothing but a date.
    """
    name = source_key.rstrip("/").rpartition("/")[2]
    if "nopatched" in name and task.startswith("mha_"):
        return "unpatched"
    if "prompt-ablation" in name:
        return "ablation"
    return "earlier" if name in _EARLIER else "standard"


def _faults(row: RunRow, known_tasks: Collection[str]) -> list[str]:
    """What keeps a run from being understood."""
    faults = []
    if not 0 < len(row.model) <= MAX_NAME:
        faults.append(f"model {shown(row.model)} is empty or too long")
    if row.architecture not in ARCHITECTURES:
        faults.append(f"unknown architecture {shown(row.architecture)}")
    if row.task not in known_tasks:
        faults.append(f"unknown task {shown(row.task)}")
    if not _UUID.fullmatch(row.workload_uuid):
        faults.append(f"workload {shown(row.workload_uuid)} is not a uuid")
    if not 0 < len(row.source_key) <= MAX_NAME:
        faults.append(f"exp_dir {shown(row.source_key)} is empty or too long")
    return faults
