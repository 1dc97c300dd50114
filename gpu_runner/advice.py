"""What a person would fix first, in plain words."""

from collections.abc import Iterable, Sequence
from hashlib import sha256 as _sha256

from evaluation.architectures import ARCHITECTURES, Architecture
from gpu_runner.builds import Build
from gpu_runner.compile_log import Diagnostic, missing_instruction
from gpu_runner.disassembly import Disassembly
from gpu_runner.policy import Finding

_OWN = {
    "hopper": "wgmma (warpgroup matrix multiply, `wgmma.mma_async`)",
    "blackwell": "tcgen05 (tensor memory matrix multiply, `tcgen05.mma`)",
}
_FIRST_WORDS = {"wgmma": "hopper", "tcgen05": "blackwell"}
LARGE_SPILL = 256
"""Bytes of spills in one function from which they are worth a word."""


def sha256(data: bytes) -> str:
    """Return the digest of bytes that hold no kernel."""
    return _sha256(data).hexdigest()


def after_extraction() -> list[str]:
    """Return what to do about an answer without a kernel."""
    return ["Put the whole kernel into one block that starts with ```cpp and ends with ```."]


def after_policy(banned: Sequence[Finding]) -> list[str]:
    """Return what to do about vendor libraries."""
    places = ", ".join(str(line) for line in sorted({one.line for one in banned})[:8])
    return [
        f"{banned[0].message}. The kernel has to do the work itself: replace the library "
        f"(line {places}) by code of its own."
    ]


def compile_reason(build: Build) -> str:
    """Return why a build failed, in one line."""
    if build.status == "compile_timeout":
        return "compile_timeout: the compiler did not finish in time"
    if build.status == "memory":
        return "compile_memory: the compiler needed more memory than a build may have"
    first = _first_error(build.diagnostics)
    if first is None:
        return "the compiler failed without saying why"
    place = f"line {first.line}: " if first.in_source else ""
    return f"{place}{first.message}"


def after_compile(build: Build, architecture: Architecture) -> list[str]:
    """Return what to do about a build that failed, the likeliest cause first."""
    if build.status == "compile_timeout":
        return ["Less unrolling and fewer template instances: the compiler did not finish."]
    if build.status == "memory":
        return ["Less unrolling and smaller templates: the compiler ran out of memory."]
    tips = [
        hint
        for diagnostic in [missing_instruction(build.diagnostics)]
        if diagnostic and (hint := _wrong_architecture(diagnostic, architecture))
    ]
    errors = [one for one in build.diagnostics if one.severity == "error"]
    if errors and not tips:
        tips.append(f"Start with the first of {len(errors)} errors: {compile_reason(build)}")
    return tips or ["Read the compiler's messages above: none of them names a place."]


def _first_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    return next((one for one in diagnostics if one.severity == "error"), None)


def _wrong_architecture(diagnostic: Diagnostic, architecture: Architecture) -> str | None:
    instruction, target = diagnostic.instruction or "", diagnostic.target or ""
    owner = _FIRST_WORDS.get(instruction.partition(".")[0])
    if owner is None:
        return f"{instruction} does not exist on {architecture.name} ({target})."
    home = ARCHITECTURES[owner]
    if home.sm.rstrip("a") == target:
        return (
            f"{instruction} needs {home.sm}, with the a: {home.name}'s own instructions are "
            f"not in plain {target}."
        )
    return (
        f"{instruction} is an instruction of {home.name} ({home.sm}); this kernel was compiled "
        f"for {architecture.name} ({architecture.sm}). Check it with --arch {owner}, or use "
        f"{_OWN[architecture.slug]}."
    )


def absent_reason(found: Disassembly) -> str:
    """Return why the target stage cannot be passed."""
    family = found.architecture.mma_family.slug
    if not found.functions:
        return f"no kernel in the binary, so no {family}"
    if found.switched_off[family]:
        return f"every {family} instruction in the binary is switched off for good"
    return f"no {family} instruction in the binary"


def after_disassembly(found: Disassembly, build: Build) -> list[str]:
    """Return what to do about a kernel that compiles."""
    tips = []
    if not found.functions:
        tips.append("The source holds no __global__ function that ends up in the binary.")
    elif not found.has_target:
        other = found.families.get("mma_sync", 0)
        now = "mma.sync, an older instruction" if other else "no tensor instruction at all"
        name = found.architecture.name
        tips.append(
            f"The matrix products use {now}. {name}'s own is {_OWN[found.architecture.slug]}: "
            "without it the target stage cannot be passed."
        )
    return tips + _spills(build)


def _spills(build: Build) -> list[str]:
    spilled = {
        name: taken.spill_stores + taken.spill_loads for name, taken in build.resources.items()
    }
    worst = max(spilled, key=spilled.__getitem__, default=None)
    if worst is None or spilled[worst] < LARGE_SPILL:
        return []
    return [
        f"{worst[:80]} spills {spilled[worst]} bytes a thread to memory: smaller tiles or fewer "
        "values held at once."
    ]
