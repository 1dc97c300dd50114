"""Row 39 of the attacks: traces that break their format's rules."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.outcomes import Outcome
from tests.evaluation.artifacts.uploads import (
    NO_HINTS,
    TASK,
    WORKLOAD,
    lines,
    messages,
    read,
    refusal,
    trace,
)


def performance(latency: object, reference: object, speedup: object) -> dict[str, object]:
    return {
        "latency_ms": latency,
        "reference_latency_ms": reference,
        "speedup_factor": speedup,
    }


ERRORS = {"max_relative_error": 0.5, "max_absolute_error": 1}


def test_trace_gives_figures_without_a_kernel(tmp_path: Path) -> None:
    bundle = read(tmp_path, lines(trace()), "traces.jsonl")
    assert bundle.kind == "traces"
    assert bundle.counts() == {"runs": 1, "trajectories": 1, "turns": 1, "kernels": 0}
    (run,) = bundle.runs
    assert (run.model, run.task, run.architecture) == ("My model", TASK, "hopper")
    assert run.trajectories[0].key == "fast"
    (turn,) = run.trajectories[0].turns
    assert (turn.number, turn.kernel, turn.extraction) == (0, None, "")
    assert turn.reported is not None
    assert turn.reported.outcome == Outcome.TARGET_NOT_EXECUTED
    assert (turn.reported.speedup, turn.reported.hardware) == (1.5, "h100")
    assert not turn.reported.target_passed


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("INCORRECT_SHAPE", Outcome.WRONG_SHAPE),
        ("INCORRECT_DTYPE", Outcome.WRONG_SHAPE),
        ("RUNTIME_ERROR", Outcome.RUNTIME_ERROR),
        ("COMPILE_ERROR", Outcome.COMPILE_ERROR),
        ("TIMEOUT", Outcome.TIMEOUT),
        ("INCORRECT_NUMERICAL", Outcome.NUMERICAL_ERROR),
    ],
)
def test_each_status_has_its_outcome(tmp_path: Path, status: str, outcome: Outcome) -> None:
    correctness = ERRORS if status == "INCORRECT_NUMERICAL" else None
    row = trace(status=status, correctness=correctness, performance=None)
    turn = read(tmp_path, lines(row), "traces.jsonl").runs[0].trajectories[0].turns[0]
    assert turn.reported is not None
    assert turn.reported.outcome == outcome
    assert turn.reported.reason == status
    assert turn.reported.speedup is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"performance": None}, "$.evaluation.performance is missing, but the status is PASSED"),
        ({"correctness": None}, "$.evaluation.correctness is missing, but the status is PASSED"),
        ({"status": "TIMEOUT", "performance": None}, "$.evaluation.correctness must not be given"),
        ({"status": "TIMEOUT", "correctness": None}, "$.evaluation.performance must not be given"),
        ({"status": "INCORRECT_NUMERICAL"}, "$.evaluation.performance must not be given"),
        (
            {"status": "INCORRECT_NUMERICAL", "correctness": None, "performance": None},
            "$.evaluation.correctness is missing",
        ),
        ({"status": "passed"}, "$.evaluation.status is 'passed', not one of PASSED"),
        ({"status": None}, "$.evaluation.status is missing"),
        ({"performance": performance(0, 3, 1.5)}, "$.evaluation.performance.latency_ms is 0"),
        ({"performance": performance(-1, 3, 3)}, "$.evaluation.performance.latency_ms is -1"),
        ({"performance": performance(1, 0, 0)}, "reference_latency_ms is 0, not above 0"),
        ({"performance": performance(2, 3, 0.67)}, "speedup_factor is 0.67, but reference ÷"),
        ({"performance": performance(2, 3, "1.5")}, "speedup_factor is '1.5', not a number"),
        ({"performance": performance(True, 3, 3)}, "latency_ms is 'True', not a number"),
        ({"performance": performance(1e-9, 3, 3e9)}, "more than 10,000"),
        ({"performance": {}}, "$.evaluation.performance.latency_ms is missing"),
        ({"performance": 5}, "$.evaluation.performance is not an object"),
        (
            {"correctness": {"max_relative_error": -1}},
            "$.evaluation.correctness.max_relative_error is not a number of 0 or more",
        ),
        ({"correctness": {"max_absolute_error": "big"}}, "max_absolute_error is not a number"),
        ({"timestamp": ""}, "$.evaluation.timestamp is not a text"),
        ({"environment": {"hardware": ""}}, "$.evaluation.environment.hardware is not a text"),
        ({"environment": {"hardware": "NVIDIA A100"}}, "names none of the GPUs H100, H200, B200"),
        ({"environment": None}, "$.evaluation.environment is missing"),
    ],
)
def test_broken_rule_names_its_field_and_line(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    good = trace() | {"solution": "good"}
    bundle = read(tmp_path, lines(good, trace(**changes)), "traces.jsonl")
    assert bundle.counts()["turns"] == 1
    (error,) = messages(bundle, "error")
    assert error.startswith("traces.jsonl:2: ")
    assert said in error


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"definition": "gemm_n1"}, "$.definition: unknown task"),
        ({"definition": 5}, "$.definition is not a text"),
        ({"workload": None}, "$.workload is missing"),
        ({"workload": WORKLOAD | {"axes": {"M": 0}}}, "$.workload.axes.M is not a whole number"),
        ({"solution": None}, "$.solution is missing"),
        ({"evaluation": None}, "$.evaluation is missing"),
    ],
)
def test_broken_trace_names_its_field(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    found = refusal(tmp_path, lines(trace() | changes), "traces.jsonl")
    assert said.replace(": unknown", " unknown") in found


@pytest.mark.parametrize("value", ["NaN", "Infinity", "nan", "-0", None, 0.0])
def test_texts_that_name_no_number_are_errors_sizes(tmp_path: Path, value: object) -> None:
    errors = {"max_relative_error": value, "max_absolute_error": 0}
    if value == "-0":
        refusal(tmp_path, lines(trace(correctness=errors)), "t.jsonl")
    else:
        assert not messages(read(tmp_path, lines(trace(correctness=errors)), "t"), "error")


def test_no_number_as_speedup_becomes_null_with_a_note(tmp_path: Path) -> None:
    row = lines(trace(performance=performance(2, 3, float("nan"))))
    bundle = read(tmp_path, row, "traces.jsonl")
    turn = bundle.runs[0].trajectories[0].turns[0]
    assert turn.reported is not None
    assert turn.reported.speedup is None
    assert "$.evaluation.performance.speedup_factor is NaN" in messages(bundle, "note")[0]


def test_other_workloads_and_workload_traces_are_noted_and_not_kept(tmp_path: Path) -> None:
    other = trace() | {"workload": {"uuid": "u", "axes": {"M": 256}}, "solution": "slow"}
    bare = trace() | {"solution": None, "evaluation": None}
    bundle = read(tmp_path, lines(other, bare, trace()), "traces.jsonl")
    assert bundle.counts()["turns"] == 1
    assert len(messages(bundle, "note")) == 2


def test_workload_is_known_by_its_sizes_as_well(tmp_path: Path) -> None:
    row = trace() | {"workload": {"uuid": "u", "axes": {"M": 8192, "K": 5120}}}
    assert read(tmp_path, lines(row), "traces.jsonl").counts()["turns"] == 1


def test_second_trace_of_a_solution_is_left_out(tmp_path: Path) -> None:
    bundle = read(tmp_path, lines(trace(), trace()), "traces.jsonl")
    assert "at traces.jsonl:1 already" in messages(bundle, "error")[0]


def test_traces_need_a_model_from_the_form(tmp_path: Path) -> None:
    assert "the model is not named" in refusal(tmp_path, lines(trace()), "t.jsonl", NO_HINTS)
