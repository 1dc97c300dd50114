"""Reads the tables PTXBench publishes with its results."""

from collections.abc import Callable, Collection
from pathlib import Path

from evaluation.artifacts.csv_rows import TablesError
from evaluation.artifacts.problems import Problem
from evaluation.artifacts.ptxbench_dates import read_model_dates, read_reference_dates
from evaluation.artifacts.ptxbench_models import build_models
from evaluation.artifacts.ptxbench_records import PublishedRun, PublishedTrajectory, Tables
from evaluation.artifacts.ptxbench_runs import RunRow, prompt_set, read_runs
from evaluation.artifacts.ptxbench_turns import read_turns
from evaluation.published import load_model_facts

__all__ = ["Problem", "Tables", "TablesError", "read_tables"]


def read_tables(
    directory: Path,
    known_tasks: Collection[str],
    progress: Callable[[int], object] | None = None,
) -> Tables:
    """Read the five tables in `directory`.

    `known_tasks` holds the tasks' names; a mapping by name will do. Bad values never
    stop the read and never vanish: each is in the result's `problems`, with file and
    line, by file. `progress` gets the number of turns done so far, every thousand
    and at the end. Raises `TablesError` for a table that cannot be understood.
    """
    dates, date_problems = read_model_dates(directory)
    references, reference_problems = read_reference_dates(directory)
    runs = read_runs(directory, known_tasks)
    turns = read_turns(directory, runs, progress)
    models, model_problems = build_models(dates, runs.first_lines, load_model_facts())
    found = date_problems + reference_problems + runs.problems + turns.problems + model_problems
    return Tables(
        models=tuple(models),
        runs=tuple(_run(row, turns.trajectories[key]) for key, row in runs.runs.items()),
        reference_dates=tuple(references),
        problems=tuple(sorted(found, key=lambda problem: (problem.file, problem.line))),
        runs_left_out=runs.left_out,
        turns_left_out=turns.left_out,
    )


def _run(row: RunRow, trajectories: tuple[PublishedTrajectory, ...]) -> PublishedRun:
    """A run with its trajectories; its limit is what its longest trajectory shows."""
    last_turns = (turns[-1].number for _, turns in trajectories)
    return PublishedRun(
        source_key=row.source_key,
        model=row.model,
        task=row.task,
        workload_uuid=row.workload_uuid,
        architecture=row.architecture,
        prompt_set=prompt_set(row.task, row.source_key),
        turn_limit=1 + max(last_turns, default=-1),
        trajectories=trajectories,
    )
