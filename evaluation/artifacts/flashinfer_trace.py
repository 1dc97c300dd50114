"""The rules of a FlashInfer-Trace `Trace`, and what one says in the words of this benchmark.

Format: FlashInfer-Bench's documentation of Trace. Where that takes a latency of 0, this
does not, because a speedup would follow from it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.architectures import HARDWARE
from evaluation.artifacts.bundle_records import Reported
from evaluation.artifacts.gpu_names import hardware_of
from evaluation.artifacts.json_fields import Field
from evaluation.artifacts.ptxbench_outcomes import LARGEST_SPEEDUP
from evaluation.outcomes import Outcome
from evaluation.tasks import Task

PASSED = "PASSED"
NO_EVIDENCE = "no evidence of target instructions"

STATUSES = {
    PASSED: Outcome.TARGET_NOT_EXECUTED,
    "INCORRECT_SHAPE": Outcome.WRONG_SHAPE,
    "INCORRECT_NUMERICAL": Outcome.NUMERICAL_ERROR,
    "INCORRECT_DTYPE": Outcome.WRONG_SHAPE,
    "RUNTIME_ERROR": Outcome.RUNTIME_ERROR,
    "COMPILE_ERROR": Outcome.COMPILE_ERROR,
    "TIMEOUT": Outcome.TIMEOUT,
}
"""Outcome of each status. A trace has no instruction evidence, so none passes the target stage."""

_ERRORS = ("max_relative_error", "max_absolute_error")
_NO_NUMBERS = ("nan", "infinity", "inf")
_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Figures:
    """What an evaluation says. `speedup` is reference ÷ solution, of passed ones only."""

    status: str
    speedup: float | None

    def reported(self, hardware: str) -> Reported:
        """The figures as the result of a turn, taken on `hardware`."""
        reason = f"{self.status}; {NO_EVIDENCE}" if self.status == PASSED else self.status
        return Reported(STATUSES[self.status], reason, False, self.speedup, hardware)


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that keeps the rules. `hardware` is a slug."""

    task: str
    uuid: str
    axes: Mapping[str, int]
    solution: str
    hardware: str
    figures: Figures

    @property
    def architecture(self) -> str:
        """The architecture of the hardware."""
        return HARDWARE[self.hardware].architecture


def check_trace(row: Field) -> Trace | None:
    """The trace in `row`; None if it only describes a workload. Raises `FieldFault`."""
    task = row["definition"].text()
    workload, solution, evaluation = row["workload"], row["solution"], row["evaluation"]
    uuid, axes = workload["uuid"].text(), check_axes(workload["axes"])
    if not solution.given and not evaluation.given:
        return None
    name = solution.text()
    figures = check_evaluation(evaluation)
    evaluation["timestamp"].text()
    hardware = check_hardware(evaluation)
    return Trace(task, uuid, axes, name, hardware, figures)


def check_hardware(evaluation: Field) -> str:
    """The slug of the hardware of an evaluation. Raises `FieldFault` if it is none of ours."""
    field = evaluation["environment"]["hardware"]
    hardware = hardware_of(field.text())
    if hardware is None:
        known = ", ".join(item.name for item in HARDWARE.values())
        raise field.fault(f"names none of the GPUs {known}")
    return hardware


def check_axes(field: Field) -> dict[str, int]:
    """The sizes of a workload's variable axes. Raises `FieldFault`."""
    if not isinstance(field.value, dict):
        raise field.fault("is not an object of sizes")
    for name, size in field.value.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise field[name].fault("is not a whole number above 0")
    return field.value


def check_evaluation(evaluation: Field) -> Figures:
    """Status and speedup of an evaluation. Raises `FieldFault`."""
    status = evaluation["status"].choice(STATUSES)
    correctness, performance = evaluation["correctness"], evaluation["performance"]
    _check_presence(correctness, status, status in (PASSED, "INCORRECT_NUMERICAL"))
    _check_presence(performance, status, status == PASSED)
    if correctness.given:
        for name in _ERRORS:
            _check_error(correctness[name])
    return Figures(status, _speedup(performance) if performance.given else None)


def decides(task: Task, uuid: str, axes: Mapping[str, int]) -> bool:
    """Whether a workload is the one that decides verdicts on `task`: by its uuid or its sizes."""
    published = task.published_workload
    constant = {axis.name: axis.size for axis in task.axes if axis.size is not None}
    same_sizes = constant | dict(axes) == constant | dict(published.axes)
    return uuid == published.uuid or (task.defined and same_sizes)


def _check_presence(field: Field, status: str, needed: bool) -> None:
    if needed and not field.given:
        raise field.fault(f"is missing, but the status is {status}")
    if field.given and not needed:
        raise field.fault(f"must not be given with the status {status}")


def _check_error(field: Field) -> None:
    """An error's size: a number of 0 or more, or `NaN` or `Infinity` as a text."""
    value = field.value
    if value is None or (isinstance(value, str) and value.casefold() in _NO_NUMBERS):
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise field.fault('is not a number of 0 or more, "NaN" or "Infinity"')


def _speedup(performance: Field) -> float | None:
    """The speedup, once it agrees with the latencies; None if one of them was no number."""
    names = ("latency_ms", "reference_latency_ms", "speedup_factor")
    for name in names:
        figure = performance[name]
        if name not in performance.value:  # null is a figure that was no number
            raise figure.fault("is missing")
    latency, reference, speedup = [performance[name].positive() for name in names]
    if latency is None or reference is None or speedup is None:
        return None
    factor = performance["speedup_factor"]
    if not math.isclose(speedup, reference / latency, rel_tol=_TOLERANCE):
        ratio = f"{reference / latency:.4g}"
        raise factor.fault(f"is {speedup:.4g}, but reference ÷ latency is {ratio}")
    if speedup > LARGEST_SPEEDUP:
        raise factor.fault(f"is {speedup:.4g}, more than {LARGEST_SPEEDUP:,}")
    return speedup
