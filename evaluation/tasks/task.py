"""What a task is: its tensors, its workloads and its sizes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FAMILIES = {
    "gemm": "GEMM",
    "forward": "Attention forward",
    "backward": "Attention backward",
    "gqa": "Grouped-query attention",
}
"""English titles of the task families, in display order."""

CORE_TASKS: tuple[str, ...] = (
    "gemm_n7168_k5120",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
)
"""The tasks that the default ranking is taken over, in display order."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of a definition; `size` is None where each workload sets it."""

    name: str
    size: int | None
    description: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output: `shape` names one axis per dimension, row-major and contiguous."""

    name: str
    shape: tuple[str, ...]
    dtype: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """Sizes for a definition's variable axes; `published` marks PTXBench's deciding one."""

    uuid: str
    axes: dict[str, int] = field(hash=False)
    published: bool = False

    @property
    def label(self) -> str:
        """The sizes in words, such as `S=4096`."""
        return ", ".join(f"{name}={size}" for name, size in self.axes.items())


@dataclass(frozen=True, slots=True)
class Task:
    """A FlashInfer-Trace Definition with its workloads and its place in the benchmark.

    A kernel takes `inputs`, then preallocated `outputs`, both in this order.
    Tasks that are only listed, because their definition is not carried here,
    have `defined` False and no axes, tensors or reference. `causal` is None
    where no mask is involved. `canonical_definition` is the definition as
    compact JSON that keeps the file's order, since that order is the interface.
    """

    name: str
    title: str
    family: str
    core: bool
    defined: bool
    causal: bool | None
    axes: tuple[Axis, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    reference: str
    description: str
    workloads: tuple[Workload, ...]
    canonical_definition: str | None = field(default=None, repr=False)

    @property
    def published_workload(self) -> Workload:
        """The workload behind PTXBench's published figures, which decides verdicts."""
        return next(workload for workload in self.workloads if workload.published)

    @property
    def definition_json(self) -> dict[str, Any] | None:
        """A fresh copy of the FlashInfer-Trace Definition, or None if it is not carried."""
        if self.canonical_definition is None:
            return None
        definition: dict[str, Any] = json.loads(self.canonical_definition)
        return definition

    @property
    def definition_sha256(self) -> str | None:
        """Hex digest of `canonical_definition` in UTF-8, or None if it is not carried."""
        if self.canonical_definition is None:
            return None
        return hashlib.sha256(self.canonical_definition.encode()).hexdigest()

    def workload(self, uuid: str) -> Workload:
        """The workload with this uuid. Raises KeyError when the task has none such."""
        for workload in self.workloads:
            if workload.uuid == uuid:
                return workload
        raise KeyError(f"{self.name} has no workload {uuid}")

    def sizes(self, axes: Mapping[str, int]) -> dict[str, int]:
        """Size of every axis: the constant ones, and the variable ones from `axes`.

        `axes` may repeat constants, as PTXBench's workloads do. Raises ValueError
        for a missing, unknown or non-positive axis and for a contradicted constant.
        """
        known = {axis.name: axis.size for axis in self.axes}
        if unknown := sorted(set(axes) - set(known)):
            raise ValueError(f"{self.name} has no axis {', '.join(unknown)}")
        sizes = {name: axes.get(name, size) for name, size in known.items()}
        for name, size in sizes.items():
            if size is None or size < 1:
                raise ValueError(f"{self.name} needs a positive size for axis {name}")
            if known[name] not in (None, size):
                raise ValueError(f"{self.name} has {name}={known[name]}, not {size}")
        return {name: size for name, size in sizes.items() if size is not None}

    def shape(self, tensor: Tensor, axes: Mapping[str, int]) -> tuple[int, ...]:
        """Concrete shape of one of the task's tensors; raises ValueError as `sizes` does."""
        sizes = self.sizes(axes)
        return tuple(sizes[name] for name in tensor.shape)
