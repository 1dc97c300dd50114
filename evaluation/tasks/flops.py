"""Arithmetic and traffic that a task cannot do without: the two sides of a roofline."""

from collections.abc import Mapping
from math import prod

from evaluation.tasks.task import Task

DTYPE_BITS = {
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
    "float4_e2m1": 4,
    "int64": 64,
    "int32": 32,
    "int16": 16,
    "int8": 8,
    "bool": 8,
}
"""Width of FlashInfer-Trace's data types, in bits."""

FAMILY_AXES = {
    "gemm": ("M", "N", "K"),
    "forward": ("B", "H", "D", "S"),
    "backward": ("B", "H", "d", "S"),
}
"""Axes that the FLOP formula of each defined family reads."""

# Per head, each matrix product over S², such as Q Kᵀ, takes 2·d·S² FLOPs. The forward
# pass has two of them; the backward pass five: the scores again, dP, dV, dK and dQ.
_ATTENTION_FACTOR = {"forward": 4, "backward": 10}


def matmul_flops(task: Task, axes: Mapping[str, int]) -> int | None:
    """Exact matrix-product FLOPs of one call, a multiply-add being two.

    Causal attention counts only the S(S+1)/2 pairs of query and key that the
    mask leaves. None for tasks without a definition. Raises ValueError as
    `Task.sizes` does.
    """
    if not task.defined:
        return None
    sizes = task.sizes(axes)
    if task.family == "gemm":
        return 2 * sizes["M"] * sizes["N"] * sizes["K"]
    batch, heads, dim, length = (sizes[name] for name in FAMILY_AXES[task.family])
    pairs = length * (length + 1) // 2 if task.causal else length**2
    return _ATTENTION_FACTOR[task.family] * batch * heads * dim * pairs


def flops_formula(task: Task) -> str:
    """The formula behind `matmul_flops`, for people; empty without a definition."""
    if not task.defined:
        return ""
    if task.family == "gemm":
        return "2·M·N·K"
    pairs = "S·(S+1)/2" if task.causal else "S²"
    return f"{_ATTENTION_FACTOR[task.family]}·B·H·d·{pairs}"


def minimum_bytes(task: Task, axes: Mapping[str, int]) -> int | None:
    """Bytes moved if every input is read and every output written exactly once.

    None for tasks without a definition. Raises ValueError as `Task.sizes` does.
    """
    if not task.defined:
        return None
    tensors = (*task.inputs, *task.outputs)
    # Rounded up per tensor: a 4-bit tensor with an odd number of elements ends mid-byte.
    return sum(-(-prod(task.shape(t, axes)) * DTYPE_BITS[t.dtype] // 8) for t in tensors)
