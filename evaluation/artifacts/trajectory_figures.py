"""What PTXBench's evaluation of a turn says, from the user message that follows the answer."""

import re
from typing import Any

from evaluation.artifacts.bundle_records import Reported
from evaluation.artifacts.flashinfer_trace import (
    PASSED,
    Figures,
    check_axes,
    check_evaluation,
    check_hardware,
    decides,
)
from evaluation.artifacts.json_fields import Field
from evaluation.artifacts.ptxbench_outcomes import LABELS
from evaluation.outcomes import Outcome
from evaluation.tasks import Task

_EVENTS = {
    "no_code": Outcome.EXTRACTION_ERROR,
    "cublas_banned": Outcome.BANNED_LIBRARY,
    "cudnn_banned": Outcome.BANNED_LIBRARY,
}

# PTXBench tells turns without a trace apart by what its messages say, in this order.
_SIGNS = (
    (re.compile(r"INCORRECT_NUMERICAL|Result is incorrect"), "Numerical error"),
    (re.compile(r"Failed to compile kernel"), "Compilation error"),
    (re.compile(r"Timed out after [\d.]+s waiting for sanitize"), "Sanitize Timeout"),
    (re.compile(r"returncode 137"), "Profiling Service Timeout"),
    (
        re.compile(
            r"Kernel execution timed out|Evaluation timeout after|memcheck timed out|\]\s+TIMEOUT\b"
        ),
        "Kernel Execution Timeout",
    ),
    (re.compile(r"Could not extract"), "Extraction error"),
    (re.compile(r"RUNTIME_ERROR|CUDA error|CU error"), "Runtime error"),
)


def read_figures(message: Field, text: str, task: Task) -> Reported | None:
    """The reported result in a user message with the content `text`; None if it has none.

    `hardware` is empty where the message names none. Raises `FieldFault` for a trace that
    breaks its format's rules.
    """
    extra = message["extra"]
    if not extra.given:
        return None
    traces = extra["traces"]
    if traces.given and traces.value != []:
        return _of_traces(traces, task)
    event = extra["event"].value
    if isinstance(event, str) and event in _EVENTS:
        return Reported(_EVENTS[event], event, False, None, "")
    if not isinstance(event, str) and "returncode" not in extra.value:
        return None
    label = next((label for sign, label in _SIGNS if sign.search(text)), "Other error")
    return Reported(LABELS[label], label, False, None, "")


def turn_number(message: Field) -> int | None:
    """The turn's own number, from 0, where the message has one. Raises `FieldFault`."""
    extra = message["extra"]
    if not extra.given or not extra["rollout"].given:
        return None
    number = extra["rollout"]["turn_idx"]
    if not number.given:
        return None
    if isinstance(number.value, bool) or not isinstance(number.value, int):
        raise number.fault("is not a whole number")
    return number.value


def reasoning_tokens(answer: Field) -> int | None:
    """The reasoning tokens that the model's interface counted, if it said so."""
    value: Any = answer.value
    steps = ("extra", "response", "usage", "completion_tokens_details", "reasoning_tokens")
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _of_traces(traces: Field, task: Task) -> Reported | None:
    """The result of the workload that decides: the first that failed, else the slowest."""
    figures: list[tuple[Figures, str]] = []
    for trace in traces.elements():
        workload, evaluation = trace["workload"], trace["evaluation"]
        if workload.given and not _decides(workload, task):
            continue
        known = evaluation["environment"].given
        hardware = check_hardware(evaluation) if known else ""
        figures.append((check_evaluation(evaluation), hardware))
    if not figures:
        return None
    failed = [item for item in figures if item[0].status != PASSED]
    worst, hardware = (failed or sorted(figures, key=lambda item: item[0].speedup or 0))[0]
    return worst.reported(hardware)


def _decides(workload: Field, task: Task) -> bool:
    uuid = workload["uuid"].value
    axes = check_axes(workload["axes"]) if workload["axes"].given else {}
    return decides(task, uuid if isinstance(uuid, str) else "", axes)
