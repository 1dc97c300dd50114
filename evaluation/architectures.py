"""The GPU architectures a task targets, and the hardware results were measured on."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InstructionFamily:
    """Instructions that belong together, by their opcodes in SASS.

    `opcodes` matches an opcode up to its first dot. `target` says that the family is
    one of the architecture's own; `decides` that the target stage asks for it.
    Opcodes: CUDA Binary Utilities 13, instruction set references.
    """

    slug: str
    opcodes: re.Pattern[str]
    target: bool = True
    decides: bool = False

    def matches(self, opcode: str) -> bool:
        """Whether an opcode such as `HGMMA.64x128x16.F32.BF16` is of this family."""
        return self.opcodes.fullmatch(opcode.partition(".")[0]) is not None


@dataclass(frozen=True, slots=True)
class Architecture:
    """One target architecture.

    `sm` is the compile target with its mandatory `a` suffix, `ptxbench_tag` the
    letter in PTXBench's `arch_tag` column that says its instructions executed.
    """

    slug: str
    name: str
    sm: str
    ptxbench_tag: str
    families: tuple[InstructionFamily, ...]

    @property
    def mma_family(self) -> InstructionFamily:
        """The matrix-multiply family that decides the target stage."""
        return next(family for family in self.families if family.decides)

    @property
    def gencode(self) -> str:
        """The value of nvcc's `-gencode`, for binary code of this architecture alone."""
        return f"arch={self.sm.replace('sm_', 'compute_')},code={self.sm}"


@dataclass(frozen=True, slots=True)
class Hardware:
    """A GPU model that figures were taken on; figures of two models are never mixed."""

    slug: str
    name: str
    architecture: str


_TMA = InstructionFamily("tma", re.compile("UTMALDG|UTMASTG|UTMAREDG"))
_OLDER_MMA = InstructionFamily("mma_sync", re.compile("[HIDQBO]MMA"), target=False)

ARCHITECTURES = {
    a.slug: a
    for a in (
        Architecture(
            slug="hopper",
            name="Hopper",
            sm="sm_90a",
            ptxbench_tag="H",
            families=(
                InstructionFamily("wgmma", re.compile("[A-Z]+GMMA"), decides=True),
                _TMA,
                _OLDER_MMA,
            ),
        ),
        Architecture(
            slug="blackwell",
            name="Blackwell",
            sm="sm_100a",
            ptxbench_tag="B",
            families=(
                InstructionFamily("tcgen05", re.compile("UTC[HIQO]MMA"), decides=True),
                InstructionFamily("tmem", re.compile("LDTM|STTM")),
                _TMA,
                _OLDER_MMA,
            ),
        ),
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

JUDGED_HARDWARE = {"hopper": "h200", "blackwell": "b200"}
"""Hardware that kernels handed in here are judged on, by architecture."""
