"""The real tables: what they hold, what is wrong with them, and how long they take."""

import csv
import time
from collections import Counter
from pathlib import Path

import pytest

from evaluation.artifacts.ptxbench_records import Tables
from evaluation.artifacts.ptxbench_tables import read_tables
from evaluation.outcomes import Outcome


def read_published(directory: Path) -> Tables:
    with (directory / "experiments.csv").open(encoding="utf-8", newline="") as file:
        tasks = {row["definition"] for row in csv.DictReader(file)}
    return read_tables(directory, tasks)


@pytest.fixture
def real(published: Path) -> Tables:
    return read_published(published)


def test_nothing_is_lost(real: Tables):
    assert len(real.runs) == 105
    assert real.turn_count == 13_674
    assert len(real.models) == 13
    assert sum(len(run.trajectories) for run in real.runs) == 1_712
    assert (real.runs_left_out, real.turns_left_out) == (0, 0)
    assert {run.turn_limit for run in real.runs} == {8}
    assert Counter(reference.kind for reference in real.reference_dates) == {
        "ptx": 2,
        "flash_attention": 4,
    }


def test_trajectories_that_ended_early_are_kept(real: Tables):
    lengths = Counter(len(turns) for run in real.runs for _, turns in run.trajectories)
    assert lengths == {8: 1_698, 7: 10, 6: 1, 5: 2, 4: 1}


def test_prompt_sets(real: Tables):
    counts = Counter(run.prompt_set for run in real.runs)
    assert counts == {"standard": 94, "unpatched": 8, "earlier": 2, "ablation": 1}
    standard = [run for run in real.runs if run.prompt_set == "standard"]
    assert len({(run.model, run.task, run.architecture) for run in standard}) == 94


def test_labels_become_outcomes(real: Tables):
    turns = [turn for run in real.runs for _, turns in run.trajectories for turn in turns]
    outcomes = Counter(turn.result for turn in turns)
    assert outcomes[Outcome.TIMEOUT] == 1_714 + 1
    assert outcomes[Outcome.OTHER_ERROR] == 50 + 6
    assert sum(turn.target_passed for turn in turns) == 1_433
    assert outcomes[Outcome.TARGET_NOT_EXECUTED] == 1_894 - 1_433
    assert all((turn.speedup is not None) == turn.result.correct for turn in turns)


def test_kinds_of_models(real: Tables):
    kinds = Counter(model.kind for model in real.models)
    assert kinds == {"llm": 4, "variant": 7, "method": 2}
    derived = {model.base for model in real.models if model.kind != "llm"}
    assert derived == {"Qwen3.6-27B"}
    assert all(model.organisation for model in real.models)


def test_the_only_problems_are_three_dates(real: Tables):
    places = [(problem.file, problem.line, problem.severity) for problem in real.problems]
    assert places == [
        ("fa_release_dates.csv", 5, "error"),
        ("model_release_dates.csv", 2, "note"),
        ("model_release_dates.csv", 4, "note"),
    ]
    assert "impossible date '2025-0631'" in real.problems[0].message
    assert "Claude Opus 4.8" in real.problems[1].message
    assert "Gemini 3.1 Pro" in real.problems[2].message


def test_doubtful_dates_are_kept_as_published(real: Tables):
    gemini = next(model for model in real.models if model.name == "Gemini 3.1 Pro")
    assert str(gemini.released) == "2025-01-31"
    assert gemini.released_as_published == "2025-0131"
    assert gemini.released_note.startswith("published as 2025-0131, but ")


def test_reading_is_fast(published: Path):
    read_published(published)
    start = time.perf_counter()
    read_published(published)
    assert time.perf_counter() - start < 2  # 0.12 s alone on one core
