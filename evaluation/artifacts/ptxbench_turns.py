"""PTXBench's table of turns, `reasoning_tokens_vs_performance.csv`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from evaluation.artifacts.csv_rows import read_rows
from evaluation.artifacts.problems import Problem, ProblemLog, shown
from evaluation.artifacts.ptxbench_outcomes import TurnRow, build_turn, natural_number
from evaluation.artifacts.ptxbench_records import MAX_NAME, PublishedTrajectory, PublishedTurn
from evaluation.artifacts.ptxbench_runs import EXPERIMENTS, RunList, RunRow

TURNS = "reasoning_tokens_vs_performance.csv"
TURN_NUMBER_LIMIT = 10_000
"""Turn numbers from here on are taken for mistakes: the published runs have 8 turns."""

_PROGRESS_ROWS = 1_000
_SHOWN_GAPS = 5

Numbered = dict[int, tuple[int, PublishedTurn]]
"""Turns of one trajectory by number, each with its line."""


@dataclass(slots=True)
class TurnList:
    """Trajectories by run key, the number of rows left out, and what was found."""

    trajectories: dict[str, tuple[PublishedTrajectory, ...]] = field(default_factory=dict)
    left_out: int = 0
    problems: list[Problem] = field(default_factory=list)


def read_turns(
    directory: Path, runs: RunList, progress: Callable[[int], object] | None = None
) -> TurnList:
    """Read the turns of the runs that were kept.

    Left out, counted and reported are turns of runs that are unknown, left out or
    contradict the row; turns whose number is impossible; turns that appear twice.
    `progress` gets the number of rows done so far, every thousand and at the end.
    Raises `TablesError` if the table cannot be understood.
    """
    log = ProblemLog(TURNS)
    rows, left_out = read_rows(directory / TURNS, TurnRow._fields, log)
    found: dict[str, dict[str, Numbered]] = {key: {} for key in runs.runs}
    for done, (line, values) in enumerate(rows, start=1):
        row = TurnRow._make(values)
        run = _run_of(row, runs, line, log)
        if run is None or not _store(row, run, line, found[run.source_key], log):
            left_out += 1
        if progress is not None and done % _PROGRESS_ROWS == 0:
            progress(done)
    if progress is not None and len(rows) % _PROGRESS_ROWS:
        progress(len(rows))
    trajectories = {key: _trajectories(by_key, log) for key, by_key in found.items()}
    return TurnList(trajectories, left_out, _without_turns(runs.runs, found) + log.sorted())


def _run_of(row: TurnRow, runs: RunList, line: int, log: ProblemLog) -> RunRow | None:
    """The run a row belongs to, or None with a problem.

    A row that contradicts its run may be another model's, so it counts for neither.
    """
    key = row.exp_dir
    run = runs.runs.get(key)
    if run is None:
        if key in runs.rejected:
            message = f"turn of the run in line {runs.rejected[key]} of {EXPERIMENTS}, left out too"
        else:
            message = f"unknown run {shown(key)}; turn left out"
        log.add_repeated("error", line, (key,), message)
        return None
    differing = _contradictions(row, run)
    if differing:
        message = (
            f"contradicts its run {shown(key)}: {', '.join(differing.values())}; turn left out"
        )
        log.add_repeated("error", line, (key, *differing), message)
        return None
    return run


def _contradictions(row: TurnRow, run: RunRow) -> dict[str, str]:
    """What a row says differently from its run, by column."""
    return {
        column: f"{column} {shown(said)} instead of {shown(listed)}"
        for column, said, listed in (
            ("model", row.model, run.model),
            ("arch", row.arch, run.architecture),
            ("definition", row.definition, run.task),
            ("workload", row.workload.lower(), run.workload_uuid),
        )
        if said != listed
    }


def _store(
    row: TurnRow, run: RunRow, line: int, by_key: dict[str, Numbered], log: ProblemLog
) -> bool:
    """Add a turn to its trajectory; False, with a problem, if it cannot be placed."""
    if not 0 < len(row.trajectory_id) <= MAX_NAME:
        message = f"trajectory_id {shown(row.trajectory_id)} is empty or too long; turn left out"
        log.add("error", line, message)
        return False
    try:
        number = natural_number(row.turn, TURN_NUMBER_LIMIT)
    except ValueError as error:
        log.add("error", line, f"turn {error}; turn left out")
        return False
    numbered = by_key.setdefault(row.trajectory_id, {})
    if number in numbered:
        message = (
            f"turn {number} of trajectory {shown(row.trajectory_id)} is in line "
            f"{numbered[number][0]} already; turn left out"
        )
        log.add("error", line, message)
        return False
    numbered[number] = (line, build_turn(number, row, run.architecture, line, log))
    return True


def _trajectories(by_key: dict[str, Numbered], log: ProblemLog) -> tuple[PublishedTrajectory, ...]:
    """The trajectories with their turns in order; gaps are kept and reported.

    One that merely ends early, as some do, has no gap.
    """
    trajectories = []
    for key, numbered in by_key.items():
        numbers = sorted(numbered)
        if numbers[-1] >= len(numbers):
            message = (
                f"trajectory {shown(key)} lacks turns {gap_ranges(numbers)}; kept with the gap"
            )
            log.add("warning", numbered[numbers[0]][0], message)
        turns = tuple(numbered[number][1] for number in numbers)
        trajectories.append(PublishedTrajectory(key, turns))
    return tuple(trajectories)


def gap_ranges(numbers: list[int]) -> str:
    """The numbers missing below the last one, as ranges; the first few of them."""
    ranges = [
        f"{before + 1}" if after - before == 2 else f"{before + 1}–{after - 1}"
        for before, after in pairwise([-1, *numbers])
        if after - before > 1
    ]
    more = len(ranges) - _SHOWN_GAPS
    return ", ".join(ranges[:_SHOWN_GAPS]) + (f" and {more} more gaps" if more > 0 else "")


def _without_turns(
    runs: Mapping[str, RunRow], found: Mapping[str, dict[str, Numbered]]
) -> list[Problem]:
    """A warning for each run that has no turns at all."""
    return [
        Problem(EXPERIMENTS, run.line, f"run {shown(key)} has no turns", "warning")
        for key, run in runs.items()
        if not found[key]
    ]
