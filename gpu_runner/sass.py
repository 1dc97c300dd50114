"""Reading SASS, the GPU's machine code, as `nvdisasm -pb` and `cuobjdump -sass` print it.

Only rows of code count: an offset in a comment, then an instruction that ends in a
semicolon, between a function's heading and its closing line of dots. Whatever stands in
comments, strings or data of the source is not among them.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from evaluation.architectures import Architecture

MAX_LINE_BYTES = 64 * 1024  # a mangled name may be long; a row of code has a few hundred bytes
MAX_FUNCTIONS = 10_000
MAX_TARGET_ROWS = 50
MAX_ROW_CHARACTERS = 300

# Possessive quantifiers keep the time linear in the line, whatever it holds.
_ROW = re.compile(
    r"\s*+/\*(?P<offset>[0-9a-f]{4,16})\*/\s++"
    r"(?:(?P<predicate>@!?U?P[0-9T])\s++)?"
    r"(?P<opcode>[A-Z][A-Z0-9_]*+(?:\.[A-Za-z0-9_]++)*+)(?P<operands>(?:\s[^;]*+)?);"
)
_TARGET = re.compile(r"\s*+\.target\s++(sm_\w++)\s*+")
_FUNCTION = re.compile(r"\s*+Function : (\S++)\s*+")
_END = re.compile(r"\s*+\.{3,}+\s*+")
# Bank 4 holds addresses; a global's slot in it depends on what else the file declares.
_ADDRESS_SLOT = re.compile(r"c\[0x4\]\[(?:0x[0-9a-f]++|U?RZ)\]")
_MANGLED = re.compile(r"_Z(?P<nested>N[KVr]*+)?")
_LENGTH = re.compile(r"[1-9][0-9]{0,4}")
_ALWAYS_FALSE = frozenset({"@!PT", "@!UPT"})
# What ptxas writes for a lone wgmma.commit_group: no operands, no result, only the barrier.
_NO_PRODUCT = re.compile(r"RZ, gdesc\[URZ\], RZ, !UPT\b")


class SassError(ValueError):
    """The text is not one that can be counted; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction. `offset` is in bytes from the function's start, `predicate` like `@!P0`."""

    offset: int
    predicate: str
    opcode: str
    operands: str

    @property
    def can_execute(self) -> bool:
        """False where the predicate is the constant false, and for a product of nothing."""
        return self.predicate not in _ALWAYS_FALSE and not _NO_PRODUCT.match(self.operands)

    @property
    def text(self) -> str:
        """The instruction as one writes it, with single spaces."""
        return " ".join(f"{self.predicate} {self.opcode} {self.operands}".split())


@dataclass(frozen=True, slots=True)
class Function:
    """The code of one kernel, with the device functions that were placed in it.

    `opcodes` counts whole opcodes such as `HGMMA.64x64x16.F32.BF16`; `families` counts by
    the architecture's families, and has every one of them. Both count rows that can
    execute; `switched_off` counts, by family, those whose predicate is the constant false.
    `target_rows` are the first rows of the architecture's own families, as (offset, text).
    `sha256` is that of the instructions' text: it holds neither names nor addresses of
    other functions and globals, so it doesn't depend on what else the file defines, save
    for a slot of an address table that is computed (as for `printf`).
    """

    name: str
    sm: str
    instructions: int
    opcodes: Mapping[str, int] = field(hash=False)
    families: Mapping[str, int] = field(hash=False)
    switched_off: Mapping[str, int] = field(hash=False)
    target_rows: tuple[tuple[int, str], ...]
    sha256: str

    @property
    def title(self) -> str:
        """The function's own identifier, for a person: the last one in an Itanium name."""
        return _last_identifier(self.name) or self.name


def read_row(line: str) -> Row | None:
    """Return the instruction in a line, or None for any other line."""
    match = _ROW.match(line)
    if match is None:
        return None
    operands = match["operands"].strip()
    return Row(int(match["offset"], 16), match["predicate"] or "", match["opcode"], operands)


def read_functions(lines: Iterable[str], architecture: Architecture) -> tuple[Function, ...]:
    """Return the functions in order, counted by the families of `architecture`.

    Raises SassError where there are more than `MAX_FUNCTIONS`, or where the text ends
    inside one: a count of part of the code would be false evidence.
    """
    functions = tuple(islice(_functions(lines, architecture), MAX_FUNCTIONS + 1))
    if len(functions) > MAX_FUNCTIONS:
        raise SassError(f"more than {MAX_FUNCTIONS} functions in the binary")
    return functions


def bounded_lines(file: BinaryIO) -> Iterator[str]:
    """Yield the lines of a file of any content; what exceeds `MAX_LINE_BYTES` is dropped."""
    while line := file.readline(MAX_LINE_BYTES):
        yield line.decode(errors="replace")
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES)


def _functions(lines: Iterable[str], architecture: Architecture) -> Iterator[Function]:
    sm, count = "", None
    for line in lines:
        if count is not None and (row := read_row(line)):
            count.add(row)
        elif count is not None and _END.fullmatch(line):
            yield count.finished()
            count = None
        elif heading := _FUNCTION.fullmatch(line):
            if count is not None:
                break
            count = _Count(heading[1], sm, architecture)
        elif heading := _TARGET.fullmatch(line):
            sm = heading[1]
    if count is not None:
        raise SassError(f"the disassembly breaks off inside {count.name[:200]}")


class _Count:
    """Counts a function row by row, so that a large one is never held as text."""

    def __init__(self, name: str, sm: str, architecture: Architecture) -> None:
        self.name = name
        self._sm = sm
        self._families = architecture.families
        self._opcodes: Counter[str] = Counter()
        self._switched_off: Counter[str] = Counter()
        self._instructions = 0
        self._target_rows: list[tuple[int, str]] = []
        self._digest = hashlib.sha256()

    def add(self, row: Row) -> None:
        self._instructions += 1
        self._digest.update(_ADDRESS_SLOT.sub("c[0x4][]", row.text).encode() + b"\n")
        (self._opcodes if row.can_execute else self._switched_off)[row.opcode] += 1
        if len(self._target_rows) < MAX_TARGET_ROWS and self._is_target(row.opcode):
            self._target_rows.append((row.offset, row.text[:MAX_ROW_CHARACTERS]))

    def finished(self) -> Function:
        return Function(
            name=self.name,
            sm=self._sm,
            instructions=self._instructions,
            opcodes=dict(self._opcodes),
            families=self._by_family(self._opcodes),
            switched_off=self._by_family(self._switched_off),
            target_rows=tuple(self._target_rows),
            sha256=self._digest.hexdigest(),
        )

    def _is_target(self, opcode: str) -> bool:
        return any(family.target and family.matches(opcode) for family in self._families)

    def _by_family(self, opcodes: Mapping[str, int]) -> dict[str, int]:
        return {
            family.slug: sum(n for opcode, n in opcodes.items() if family.matches(opcode))
            for family in self._families
        }


def _last_identifier(mangled: str) -> str:
    """Return the last identifier of `_Z<length><name>…` or `_ZN…E`; empty for other names."""
    prefix = _MANGLED.match(mangled)
    if prefix is None:
        return ""
    last, at = "", prefix.end()
    while length := _LENGTH.match(mangled, at):
        at = length.end() + int(length[0])
        if at > len(mangled):
            return ""
        last = mangled[length.end() : at]
        if not prefix["nested"]:
            break
    return last
