"""The least time that a GPU needs for a task: the roofline model.

Peaks are the vendor's, dense (without structured sparsity) and for the SXM form:
they are never reached, and bound what any kernel can do.
"""

from dataclasses import dataclass

from evaluation.architectures import HARDWARE

SOURCE_NAME = "S. Bekman, Machine Learning Engineering Open Book: Accelerators"
SOURCE_URL = "https://github.com/stas00/ml-engineering/tree/master/compute/accelerator"
"""Tables of dense peaks and memory bandwidths after NVIDIA's data sheets."""


@dataclass(frozen=True, slots=True)
class Peak:
    """Dense bf16 arithmetic in FLOP/s, and memory bandwidth in byte/s."""

    flops: float
    bandwidth: float


PEAKS = {
    "h100": Peak(989e12, 3.35e12),
    "h200": Peak(989e12, 4.8e12),
    "b200": Peak(2250e12, 8.0e12),
}


@dataclass(frozen=True, slots=True)
class Roof:
    """A workload under one GPU's roofline: the least seconds, and what bounds them."""

    hardware: str
    name: str
    peak: Peak
    seconds: float
    compute_bound: bool


def roofs(flops: int, moved: int) -> tuple[Roof, ...]:
    """Return the roofline of each GPU for `flops` operations on `moved` bytes."""
    return tuple(
        Roof(
            slug,
            HARDWARE[slug].name,
            peak,
            max(flops / peak.flops, moved / peak.bandwidth),
            flops / peak.flops >= moved / peak.bandwidth,
        )
        for slug, peak in PEAKS.items()
    )
