"""What a compiler's log says: errors with their places, and what each function takes.

Five programs write into one log, each in its own way: NVIDIA's front end, g++, the
assembler, the linker, and ptxas, which alone knows what an architecture can do.
"""

import re
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
MOST = 200
"""Diagnostics that are kept; a log with more repeats itself."""

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # ptxas kernel.ptx, line 700; error   : Instruction 'wgmma.fence' not supported …
        r"ptxas (?P<file>\S+), line (?P<line>\d+); (?P<severity>error|fatal|warning)\s*: "
        r"(?P<text>.+)",
        # kernel.cu(2): error: identifier "x" is undefined
        r"(?P<file>[^\s()]+)\((?P<line>\d+)\): (?P<severity>catastrophic error|error|warning)"
        r"(?: #[\d-]+D?)?: (?P<text>.+)",
        # kernel.cu:3:10: fatal error: x.h: No such file or directory
        r"(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?P<severity>fatal error|[Ee]rror|[Ww]arning): "
        r"(?P<text>.+)",
        # ptxas fatal   : Unresolved extern function '_Z3farf'
        r"(?P<file>ptxas|nvcc|nvlink|cicc) (?P<severity>error|fatal|warning)\s*: (?P<text>.+)",
        # /usr/bin/ld: kernel.o: hidden symbol `g()' isn't defined
        r"(?P<file>\S*\bld|collect2|cc1plus)(?::\S*)?: (?P<severity>(?:fatal )?error: |)"
        r"(?P<text>.+)",
    )
)
_INSTRUCTION = re.compile(
    r"(?:Instruction|Feature) '(?P<name>[^']+)' (?:not supported on \.target|"
    r"cannot be compiled for architecture) '(?P<target>sm_\w+)'"
)
_FUNCTION = re.compile(
    r"Compiling entry function '(?P<name>[^']+)' for|Function properties for (\S+)"
)
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint. `line` is 0 where none is given; a ptxas line counts PTX, not source.

    `instruction` and `target` are set where ptxas says that an architecture lacks one:
    "wgmma.fence" and "sm_100a".
    """

    file: str
    line: int
    severity: Severity
    message: str
    instruction: str | None = None
    target: str | None = None

    @property
    def in_source(self) -> bool:
        """Whether `line` is a line of the kernel's source."""
        return self.file.endswith(".cu") and self.line > 0


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel takes: registers a thread, bytes of the rest (shared: static only)."""

    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0


def read_diagnostics(log: str) -> tuple[Diagnostic, ...]:
    """Return the errors and warnings of a log in order, without repetitions."""
    found = [one for line in log.splitlines() if (one := _diagnostic(line))]
    return tuple(dict.fromkeys(found))[:MOST]


def read_resources(log: str) -> dict[str, Resources]:
    """Return registers, spills and shared memory by (mangled) function, from ptxas -v."""
    functions: dict[str, Resources] = {}
    name = ""
    for line in log.splitlines():
        if match := _FUNCTION.search(line):
            name = match[1] or match[2]
        elif name and ((spills := _SPILLS.search(line)) or _USED.search(line)):
            functions[name] = _merged(functions.get(name, Resources()), line, spills)
    return {name: taken for name, taken in functions.items() if taken.registers}


def ends_in_ptxas(log: str) -> bool:
    """Whether both front ends took the source, and only ptxas refused it."""
    errors = [one for one in read_diagnostics(log) if one.severity == "error"]
    return bool(errors) and all(one.file == "ptxas" or one.file.endswith(".ptx") for one in errors)


def missing_instruction(diagnostics: tuple[Diagnostic, ...]) -> Diagnostic | None:
    """Return the first complaint that an architecture lacks an instruction."""
    return next((one for one in diagnostics if one.instruction), None)


def _diagnostic(line: str) -> Diagnostic | None:
    match = next((m for pattern in _PATTERNS if (m := pattern.match(line))), None)
    if match is None:
        return None
    groups = match.groupdict()
    text = groups["text"].strip()
    lacking = _INSTRUCTION.search(text)
    return Diagnostic(
        file=_plain(groups["file"]),
        line=int(groups.get("line") or 0),
        severity="warning" if groups["severity"].lower().startswith("warning") else "error",
        message=text,
        instruction=lacking["name"].split()[0] if lacking else None,
        target=lacking["target"] if lacking else None,
    )


def _plain(name: str) -> str:
    """Return a file's name without its folder and a temporary's number."""
    last = name.rpartition("/")[2]
    return re.sub(r"^tmpxft_[0-9a-f]+_[0-9a-f]+-\d+_", "", last)


def _merged(known: Resources, line: str, spills: re.Match[str] | None) -> Resources:
    if spills:
        stack, stores, loads = map(int, spills.groups())
        return Resources(known.registers, stores, loads, stack, known.shared)
    registers, shared = _USED.search(line), _SHARED.search(line)
    return Resources(
        int(registers[1]) if registers else known.registers,
        known.spill_stores,
        known.spill_loads,
        known.stack,
        int(shared[1]) if shared else 0,
    )
