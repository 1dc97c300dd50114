"""The GPU architectures a task targets, and the hardware results were measured on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """One target architecture.

    `sm` is the compile target with its mandatory `a` suffix, `ptxbench_tag` the
    letter in PTXBench's `arch_tag` column that says its instructions executed.
    """

    slug: str
    name: str
    sm: str
    mma_family: str
    ptxbench_tag: str


@dataclass(frozen=True, slots=True)
class Hardware:
    """A GPU model that figures were taken on; figures of two models are never mixed."""

    slug: str
    name: str
    architecture: str


ARCHITECTURES = {
    a.slug: a
    for a in (
        Architecture("hopper", "Hopper", "sm_90a", "wgmma", "H"),
        Architecture("blackwell", "Blackwell", "sm_100a", "tcgen05", "B"),
    )
}

HARDWARE = {
    h.slug: h
    for h in (
        Hardware("h100", "H100", "hopper"),
        Hardware("h200", "H200", "hopper"),
        Hardware("b200", "B200", "blackwell"),
    )
}

REPORTED_HARDWARE = {"hopper": "h100", "blackwell": "b200"}
"""Hardware behind PTXBench's published figures, by architecture (arXiv 2608.17379)."""
