"""What a task asks of a kernel, as its page shows it: tensors, sizes, work and its bounds."""

from dataclasses import dataclass

from evaluation.tasks import Task
from evaluation.tasks.flops import flops_formula, matmul_flops, minimum_bytes
from evaluation.tasks.task import Tensor, Workload
from leaderboard.quantities import milliseconds, quantity, three_digits
from leaderboard.roofline import Roof, roofs

BASELINES = {"gemm": "cuBLAS", "forward": "cuDNN SDPA", "backward": "cuDNN SDPA"}
"""The library that a measured kernel must beat, by family (protocol version 1)."""


@dataclass(frozen=True, slots=True)
class TensorLine:
    """One argument of the kernel, with its concrete shape on the published workload."""

    position: int
    tensor: Tensor
    is_output: bool
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WorkloadLine:
    """One workload with its arithmetic and traffic in words; None without a definition."""

    workload: Workload
    flops: str | None
    moved: str | None
    intensity: str | None


@dataclass(frozen=True, slots=True)
class RoofLine:
    """A roofline in words."""

    roof: Roof
    arithmetic: str
    bandwidth: str
    time: str


@dataclass(frozen=True, slots=True)
class TaskSheet:
    """Everything about a task that does not depend on results."""

    task: Task
    baseline: str | None
    formula: str
    tensors: tuple[TensorLine, ...]
    workloads: tuple[WorkloadLine, ...]
    roofs: tuple[RoofLine, ...]


def task_sheet(task: Task) -> TaskSheet:
    """Return the sheet of `task`; without a definition it has workloads only."""
    return TaskSheet(
        task=task,
        baseline=BASELINES.get(task.family),
        formula=flops_formula(task),
        tensors=_tensors(task),
        workloads=tuple(_workload(task, workload) for workload in task.workloads),
        roofs=_roofs(task),
    )


def _tensors(task: Task) -> tuple[TensorLine, ...]:
    axes = task.published_workload.axes
    arguments = [(t, False) for t in task.inputs] + [(t, True) for t in task.outputs]
    return tuple(
        TensorLine(position, tensor, is_output, task.shape(tensor, axes))
        for position, (tensor, is_output) in enumerate(arguments, start=1)
    )


def _workload(task: Task, workload: Workload) -> WorkloadLine:
    flops = matmul_flops(task, workload.axes)
    moved = minimum_bytes(task, workload.axes)
    if flops is None or moved is None:
        return WorkloadLine(workload, None, None, None)
    intensity = three_digits(flops / moved)
    return WorkloadLine(workload, quantity(flops, "FLOP"), quantity(moved, "B"), intensity)


def _roofs(task: Task) -> tuple[RoofLine, ...]:
    axes = task.published_workload.axes
    flops, moved = matmul_flops(task, axes), minimum_bytes(task, axes)
    if flops is None or moved is None:
        return ()
    return tuple(
        RoofLine(
            roof,
            quantity(roof.peak.flops, "FLOP/s"),
            quantity(roof.peak.bandwidth, "B/s"),
            milliseconds(roof.seconds),
        )
        for roof in roofs(flops, moved)
    )
