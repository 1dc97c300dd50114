"""The figures that PTXBench's evaluation reports with each turn."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.artifacts.bundle import Bundle, BundleTurn
from evaluation.outcomes import Outcome
from tests.evaluation.artifacts.uploads import (
    HINTS,
    WORKLOAD,
    answer,
    conversation,
    feedback,
    messages,
    read,
    trace,
)


def turns(bundle: Bundle) -> tuple[BundleTurn, ...]:
    return bundle.runs[0].trajectories[0].turns


def read_one(tmp_path: Path, *parts: dict[str, Any], **facts: str) -> Bundle:
    return read(tmp_path, conversation(*parts, **facts), "exp_000.json", HINTS)


def test_trace_gives_the_reported_figures(tmp_path: Path) -> None:
    (turn,) = turns(read_one(tmp_path, answer(), feedback(traces=[trace()])))
    assert turn.reported is not None
    assert turn.reported.speedup == 1.5
    assert turn.reported.hardware == "h100"
    assert turn.reported.outcome == Outcome.TARGET_NOT_EXECUTED


def test_workload_that_decides_counts_and_failure_before_success(tmp_path: Path) -> None:
    other = trace(status="TIMEOUT", correctness=None, performance=None)
    other["workload"] = WORKLOAD | {"uuid": "other", "axes": {"M": 1}}
    failed = trace(status="RUNTIME_ERROR", correctness=None, performance=None)
    (turn,) = turns(read_one(tmp_path, answer(), feedback(traces=[other, trace()])))
    assert turn.reported is not None
    assert turn.reported.speedup == 1.5
    (turn,) = turns(read_one(tmp_path, answer(), feedback(traces=[trace(), failed])))
    assert turn.reported is not None
    assert turn.reported.outcome == Outcome.RUNTIME_ERROR


@pytest.mark.parametrize(
    ("content", "extra", "outcome"),
    [
        ("Failed to compile kernel: x", {"event": "test_failed"}, Outcome.COMPILE_ERROR),
        ("Failed to compile kernel: x", {"returncode": 1}, Outcome.COMPILE_ERROR),
        ("Kernel execution timed out", {"event": "test_failed"}, Outcome.TIMEOUT),
        ("Timed out after 60.0s waiting for sanitize", {"event": "x"}, Outcome.TIMEOUT),
        ("CUDA error: misaligned", {"event": "test_failed"}, Outcome.RUNTIME_ERROR),
        ("Result is incorrect", {"event": "test_failed"}, Outcome.NUMERICAL_ERROR),
        ("returncode 137", {"event": "test_failed"}, Outcome.OTHER_ERROR),
        ("?", {"event": "no_traces", "traces": []}, Outcome.OTHER_ERROR),
        ("Could not extract", {"event": "no_code"}, Outcome.EXTRACTION_ERROR),
        ("ERROR", {"event": "cublas_banned"}, Outcome.BANNED_LIBRARY),
    ],
)
def test_turn_without_a_trace_is_told_by_its_event_and_words(
    tmp_path: Path, content: str, extra: dict[str, Any], outcome: Outcome
) -> None:
    message = feedback(**extra) | {"content": content}
    (turn,) = turns(read_one(tmp_path, answer(), message))
    assert turn.reported is not None
    assert turn.reported.outcome == outcome
    assert turn.reported.hardware == "h100"


def test_message_without_figures_reports_nothing(tmp_path: Path) -> None:
    plain = {"role": "user", "content": "Failed to compile kernel"}
    assert turns(read_one(tmp_path, answer(), plain))[0].reported is None
    assert turns(read_one(tmp_path, answer(), feedback(0)))[0].reported is None


def test_bad_trace_costs_the_figures_and_not_the_turn(tmp_path: Path) -> None:
    bundle = read_one(tmp_path, answer(), feedback(traces=[trace(performance=None)]))
    assert turns(bundle)[0].reported is None
    (error,) = messages(bundle, "error")
    assert "$.messages[3].extra.traces[0].evaluation.performance is missing" in error


def test_figures_of_another_architecture_are_left_out(tmp_path: Path) -> None:
    row = trace(environment={"hardware": "NVIDIA B200"})
    bundle = read_one(tmp_path, answer(), feedback(traces=[row]))
    assert turns(bundle)[0].reported is None
    assert "another architecture" in messages(bundle, "warning")[0]
