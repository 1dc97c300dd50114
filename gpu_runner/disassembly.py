"""From a compiled kernel to counted instructions, by way of the toolchain's disassembler.

The binary holds what an untrusted source put there, so the disassembler runs in the
sandbox, on a copy, and its text is read as a stream. Embedded images are refused by the
policy; should one for another architecture get through, its functions don't count.
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.architectures import Architecture
from gpu_runner.sandbox import Finished, Limits, Sandbox, fetch
from gpu_runner.sass import Function, SassError, bounded_lines, read_functions
from gpu_runner.toolchain import Toolchain

LIMITS = Limits(seconds=60.0, memory_bytes=2 << 30, file_bytes=256 << 20)
"""A row of code takes some 70 bytes of text: enough for three million instructions."""

_COPY, _TEXT = "kernel.bin", "sass.txt"
# As cuobjdump calls it: plain text, branches by offset instead of by label. cuobjdump itself
# needs /proc to find nvdisasm, which the sandbox doesn't have, but can extract without.
_NVDISASM = '"$1" -pb -novliw'
_DISASSEMBLE = f"exec {_NVDISASM} {_COPY} > {_TEXT}"
_EXTRACT_AND_DISASSEMBLE = (
    f'"$2" -xelf all {_COPY} || exit 1;'
    f' for image in ./*.cubin; do {_NVDISASM} "$image" || exit 1; done > {_TEXT}'
)
_EXTRACTED = re.compile(r"^Extracting ELF file +[0-9]+: (.*)$", re.MULTILINE)
_CUDA_MACHINE = b"\xbe\0"
_NO_CODE = "does not contain device code"


class DisassemblyError(RuntimeError):
    """The disassembler gave no usable text; the message is one line."""


@dataclass(frozen=True, slots=True)
class Disassembly:
    """What a binary holds for the GPU, in the order in which the disassembler lists it.

    Only functions for `architecture` count; what a binary holds for others is `foreign`.
    """

    architecture: Architecture
    functions: tuple[Function, ...]
    foreign: tuple[Function, ...] = ()

    @property
    def families(self) -> dict[str, int]:
        """Instructions that can execute, by family of the architecture, zeros included."""
        return self._total([function.families for function in self.functions])

    @property
    def switched_off(self) -> dict[str, int]:
        """Instructions whose predicate is the constant false, by family, zeros included."""
        return self._total([function.switched_off for function in self.functions])

    @property
    def has_target(self) -> bool:
        """Whether the matrix-multiply family that the target stage asks for is there."""
        return self.families[self.architecture.mma_family.slug] > 0

    def _total(self, counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
        total = Counter({family.slug: 0 for family in self.architecture.families})
        for count in counts:
            total.update(count)
        return dict(total)


def disassemble(
    binary: Path, architecture: Architecture, toolchain: Toolchain, sandbox: Sandbox
) -> Disassembly:
    """Disassemble a cubin, or a library with device code, and count by `architecture`.

    A binary without device code has no functions. Raises DisassemblyError if the
    disassembler fails, runs out of time or memory, or writes more than `LIMITS` allows.
    """
    cubin = _machine(binary) == _CUDA_MACHINE
    with tempfile.TemporaryDirectory(prefix="sass-") as folder:
        workdir = Path(folder, "work")
        workdir.mkdir()
        shutil.copyfile(binary, workdir / _COPY)
        script = _DISASSEMBLE if cubin else _EXTRACT_AND_DISASSEMBLE
        programs = (toolchain.nvdisasm, toolchain.cuobjdump)
        finished = sandbox.run(("/bin/sh", "-c", script, "sh", *programs), workdir, LIMITS)
        if not cubin and _NO_CODE in finished.log:
            return Disassembly(architecture, ())
        text = fetch(workdir, _TEXT, Path(folder, _TEXT), LIMITS.file_bytes)
        if finished.ended != "exited" or finished.status != 0 or text is None:
            raise DisassemblyError(_reason(finished))
        _check_images(finished.log)
        return _counted(text, architecture)


def _counted(text: Path, architecture: Architecture) -> Disassembly:
    try:
        with text.open("rb") as file:
            functions = read_functions(bounded_lines(file), architecture)
    except SassError as error:
        raise DisassemblyError(str(error)) from error
    own = tuple(function for function in functions if function.sm == architecture.sm)
    foreign = tuple(function for function in functions if function.sm != architecture.sm)
    return Disassembly(architecture, own, foreign)


def _check_images(log: str) -> None:
    """Raise DisassemblyError where one image of a library may have hidden another.

    Images are extracted under their source's name, so the last of a name remains. The build
    line leaves two of one name: an empty one from the device linker, then the kernel's.
    """
    names = _EXTRACTED.findall(log)
    hidden = len(names) - len(set(names))
    if hidden > 1:
        raise DisassemblyError(f"the library holds {len(names)} images, {hidden} of them hidden")


def _machine(binary: Path) -> bytes:
    """Return the machine field of an ELF header. Raises DisassemblyError for other files."""
    with binary.open("rb") as file:
        header = file.read(20)
    if header[:4] != b"\x7fELF" or len(header) < 20:
        raise DisassemblyError("neither a cubin nor a shared library")
    return header[18:20]


def _reason(finished: Finished) -> str:
    last = (finished.log.strip().splitlines() or ["it said nothing"])[-1]
    how = f"status {finished.status}" if finished.ended == "exited" else finished.ended
    return f"the disassembler failed ({how}): {last[:300]}"
