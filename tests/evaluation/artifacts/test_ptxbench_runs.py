"""Runs and models of small tables, good and bad."""

import pytest

from evaluation.artifacts.ptxbench_models import kind_and_base, unique_slugs
from evaluation.artifacts.ptxbench_runs import prompt_set
from evaluation.artifacts.ptxbench_tables import read_tables
from tests.evaluation.artifacts.ptxbench_rows import RUN_KEY, WORKLOAD, turn_row

GOOD = f"Some-1,hopper,gemm,{WORKLOAD},{RUN_KEY}"


def problems(result):
    return [(p.severity, str(p)) for p in result.problems]


def test_a_run(tables):
    result = read_tables(tables(), {"gemm": None})
    (run,) = result.runs
    assert (run.source_key, run.model, run.task) == (RUN_KEY, "Some-1", "gemm")
    assert (run.architecture, run.prompt_set, run.turn_limit) == ("hopper", "standard", 1)
    assert run.workload_uuid == WORKLOAD
    assert result.problems == ()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f"Some-1,hopper,conv,{WORKLOAD},/runs/b", "unknown task 'conv'"),
        (f"Some-1,ampere,gemm,{WORKLOAD},/runs/b", "unknown architecture 'ampere'"),
        ("Some-1,hopper,gemm,not-a-uuid,/runs/b", "workload 'not-a-uuid' is not a uuid"),
        (f",hopper,gemm,{WORKLOAD},/runs/b", "model '' is empty or too long"),
        (f"{'x' * 201},hopper,gemm,{WORKLOAD},/runs/b", "is empty or too long"),
        (f"Some-1,hopper,gemm,{WORKLOAD},", "exp_dir '' is empty or too long"),
        (f"Some-1,hopper,gemm,{WORKLOAD},{RUN_KEY}", f"exp_dir '{RUN_KEY}' is line 2's too"),
        (f"Some-1,hopper,gemm,{WORKLOAD}", "4 fields instead of 5"),
        (f'Some-1,hopper,gemm,"{WORKLOAD},/runs/b', "quotation mark without its pair"),
    ],
)
def test_a_run_that_cannot_be_understood_is_left_out_and_reported(tables, row, message):
    result = read_tables(tables(experiments=[GOOD, row]), {"gemm"})
    ((severity, text),) = problems(result)
    assert severity == "error"
    assert text.startswith("experiments.csv:3: ")
    assert message in text
    assert len(result.runs) == 1
    assert result.runs_left_out == 1


def test_turns_of_a_run_that_is_left_out_are_one_problem(tables):
    rows = [f"Some-1,hopper,conv,{WORKLOAD},/runs/b", GOOD]
    turns = [turn_row(), *(turn_row(exp_dir="/runs/b", turn=str(n)) for n in range(50))]
    result = read_tables(tables(experiments=rows, turns=turns), {"gemm"})
    file = "reasoning_tokens_vs_performance.csv"
    assert problems(result)[1] == (
        "error",
        f"{file}:3: turn of the run in line 2 of experiments.csv, left out too "
        "(50 rows, the first here)",
    )
    assert (result.turn_count, result.turns_left_out) == (1, 50)


def test_a_run_without_turns_is_kept_with_a_warning(tables):
    result = read_tables(tables(turns=[]), {"gemm"})
    assert problems(result) == [("warning", f"experiments.csv:2: run '{RUN_KEY}' has no turns")]
    assert (result.runs[0].turn_limit, result.runs[0].trajectories) == (0, ())


@pytest.mark.parametrize(
    ("task", "key", "expected"),
    [
        ("mha_bwd_d128", "/runs/x-nopatched-mha-bwd", "unpatched"),
        ("mha_bwd_d128", "/nopatched/x-mha-bwd", "standard"),
        ("gemm_n7168_k5120", "/runs/x-nopatched-gemm", "standard"),
        ("mha_bwd_d128", "/runs/x-prompt-ablation-mha-bwd", "ablation"),
        ("mha_bwd_d128", "/runs/2026-0609-2240", "earlier"),
        ("mha_bwd_d128", "/runs/2026-0609-2340/", "earlier"),
        ("mha_bwd_d128", "/runs/2026-0609-2241", "standard"),
    ],
)
def test_prompt_set(task, key, expected):
    assert prompt_set(task, key) == expected


@pytest.mark.parametrize(
    ("name", "kind", "base"),
    [
        ("Base-7B", "llm", None),
        ("Base-7B-s12", "variant", "Base-7B"),
        ("Other-s1", "llm", None),
        ("Base-7B-small", "llm", None),
        ("Base-7B + notes", "method", "Base-7B"),
        ("Base-7B + notes + kernel", "method", "Base-7B"),
        ("C++ coder", "llm", None),
    ],
)
def test_kind_and_base(name, kind, base):
    assert kind_and_base(name, ["Base-7B", name]) == (kind, base)


def test_slugs_are_unique():
    assert unique_slugs(["A 1.5", "A-1.5", "a_1_5", "模型"]) == {
        "A 1.5": "a-1-5",
        "A-1.5": "a-1-5-2",
        "a_1_5": "a-1-5-3",
        "模型": "model",
    }


def test_models_without_a_date_or_without_runs_are_kept_and_noted(tables):
    result = read_tables(tables(models=["Idle + notes,2026-0131"]), {"gemm"})
    assert [model.name for model in result.models] == ["Idle + notes", "Some-1"]
    assert result.models[1].released is None
    assert [severity for severity, _ in problems(result)] == ["note"] * 3
    dates = "model_release_dates.csv"
    assert [str(problem) for problem in result.problems] == [
        f"experiments.csv:2: model 'Some-1' has no release date in {dates}",
        f"{dates}:2: model 'Idle + notes' has no runs",
        f"{dates}:2: model 'Idle + notes' builds on 'Idle', which the tables do not list",
    ]
