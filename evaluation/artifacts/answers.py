"""Takes the kernel out of what somebody hands in: a `.cu` file or a model's answer."""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath

from evaluation.artifacts.problems import shown

MAX_BYTES = 512 * 1024
"""Largest file read, in bytes: many times the largest kernel anybody published."""

BLOCK_LANGUAGES = frozenset({"cpp", "c++", "cuda", "cu"})
"""Marks of a code block that may hold the kernel. Answers are asked for `cpp`; PTXBench
takes `cuda` as well, and the others mean the same."""

_SOURCE_ENDINGS = frozenset({".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp"})
_ANSWER_ENDINGS = frozenset({".md", ".markdown"})

# Indented fences count too, because answers put code blocks into lists.
_FENCE = re.compile(r"[ \t]*(?P<ticks>`{3,})[ \t]*(?P<mark>[^`]*)")


class BadSource(ValueError):
    """The bytes cannot be a kernel at all. The message is one line and says what to do."""


class ExtractionError(ValueError):
    """An answer holds no complete kernel: the outcome `extraction_error`."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel's source with line ends `\\n`, the SHA-256 of its UTF-8 bytes, and remarks.

    `notes` say in whole sentences what was changed or chosen on the way.
    """

    source: str
    sha256: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Block:
    """A code block; `first` and `last` are the lines of its content, counted from 1."""

    mark: str
    first: int
    last: int
    complete: bool


def read_kernel(data: bytes, name: str, answer: bool = False) -> Kernel:
    """The kernel in `data`, which came as the file `name` or, if that is empty, as a text.

    A C++ file is taken whole. A Markdown file, a text with a code fence, and whatever is
    said to be an `answer`, is a model's answer: its last complete block in one of
    `BLOCK_LANGUAGES` counts, as in PTXBench. Raises `BadSource` or `ExtractionError`.
    """
    title = shown(PurePath(name).name) if name else "The answer" if answer else "The text"
    notes: list[str] = []
    text = _normalised(_decoded(data, title), notes)
    ending = PurePath(name).suffix.lower()
    fenced = any(_FENCE.fullmatch(line) for line in text.split("\n"))
    if answer or ending in _ANSWER_ENDINGS or (fenced and ending not in _SOURCE_ENDINGS):
        text = _last_block(text, title, notes)
    elif fenced:
        notes.append(
            f"Taken whole because its name ends in {ending}, although it holds ``` fences; "
            "name a model's answer .md to have its code block taken."
        )
    return Kernel(text, sha256(text.encode()).hexdigest(), tuple(notes))


def _decoded(data: bytes, title: str) -> str:
    """The bytes as text."""
    if len(data) > MAX_BYTES:
        raise BadSource(
            f"{title} has {len(data):,} bytes; the limit is {MAX_BYTES:,}. "
            "Hand in one kernel, without data."
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadSource(f"{title} is UTF-16. Save it as UTF-8.")
    if (offset := data.find(b"\0")) >= 0:
        raise BadSource(
            f"{title} is binary: NUL at {_place(data, offset)}. Hand in the kernel's source text."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSource(
            f"{title} is not UTF-8: byte 0x{data[error.start]:02x} at "
            f"{_place(data, error.start)}. Save it as UTF-8."
        ) from None
    if not text.strip():
        raise BadSource(f"{title} is empty. Hand in a .cu file or an answer with a ```cpp block.")
    return text


def _place(data: bytes, offset: int) -> str:
    """An offset as people look for it: lines from 1, bytes from 0."""
    return f"byte {offset:,}, line {data.count(10, 0, offset) + 1:,}"


def _normalised(text: str, notes: list[str]) -> str:
    """The text with line ends as compilers on Linux expect them.

    `text` comes without its byte order mark. The compiler takes a lone carriage return
    for a line end as well, so it becomes one, and people see what is compiled.
    """
    if "\r" in text:
        notes.append("Windows or Mac line ends were replaced by plain ones.")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _last_block(text: str, title: str, notes: list[str]) -> str:
    """The content of the block that counts."""
    lines = text.split("\n")
    blocks = [block for block in _blocks(lines) if block.mark in BLOCK_LANGUAGES]
    complete = [block for block in blocks if block.complete]
    if not complete:
        found = "its ```cpp block is never closed" if blocks else "it has no ```cpp block"
        raise ExtractionError(
            f"{title} holds no kernel: {found}. Put the whole kernel between ```cpp and ```."
        )
    chosen = complete[-1]
    source = "".join(f"{line}\n" for line in lines[chosen.first - 1 : chosen.last])
    if not source.strip():
        raise ExtractionError(
            f"{title} holds no kernel: its last code block, in line {chosen.first - 1:,}, "
            "is empty. Put the whole kernel between ```cpp and ```."
        )
    notes += _choice_notes(chosen, blocks, len(complete))
    return source


def _choice_notes(chosen: _Block, blocks: list[_Block], complete: int) -> list[str]:
    """What a person should know about the choice of block."""
    notes = [f"The kernel is lines {chosen.first:,}–{chosen.last:,} of the answer."]
    if complete > 1:
        notes.append(f"The answer has {complete} complete code blocks; the last one counts.")
    if unclosed := [block for block in blocks if not block.complete]:
        notes.append(f"The block in line {unclosed[-1].first - 1:,} is never closed and ignored.")
    if chosen.mark != "cpp":
        notes.append(f"The block is marked {chosen.mark}; cpp is what answers are asked for.")
    return notes


def _blocks(lines: list[str]) -> list[_Block]:
    """All code blocks in order.

    A fence with a mark always opens a block, even inside another: code has no such
    lines, so the block before it was cut off, or is an answer wrapped whole.
    """
    blocks: list[_Block] = []
    opened: tuple[str, int, int] | None = None  # mark, number of ticks, first line of content
    for number, line in enumerate(lines, start=1):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        ticks, mark = len(fence["ticks"]), _language(fence["mark"])
        if opened is not None:
            if not mark and ticks < opened[1]:
                continue
            blocks.append(_Block(opened[0], opened[2], number - 1, complete=not mark))
        opened = (mark, ticks, number + 1) if mark or opened is None else None
    if opened is not None:
        blocks.append(_Block(opened[0], opened[2], len(lines), complete=False))
    return blocks


def _language(mark: str) -> str:
    """The first word behind the ticks, such as `cpp` in `cpp title=kernel.cu`."""
    return (mark.split() or [""])[0].lower()
