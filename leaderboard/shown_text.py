"""Text of strangers for a page: what would be unseen is written out, what is long is cut.

Templates escape it. Escaping doesn't help against characters that reorder a line or that
a terminal takes for commands once the text is copied, so those become visible here.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import escape

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_DOUBTFUL = re.compile(r"[^\n\t -~]")


def written_out(text: str) -> str:
    """Return the text with each control or format character as `⟦U+202E⟧`.

    Line feeds and tabs stay; a carriage return before a line feed goes.
    """
    return _DOUBTFUL.sub(_seen, text.replace("\r\n", "\n"))


def _seen(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) not in _UNSEEN:
        return character
    return f"⟦U+{ord(character):04X}⟧"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a text, made visible; `left_out` is the number of characters after it."""

    text: str
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.text or self.left_out)


@dataclass(slots=True)
class Room:
    """Bytes of HTML that a part of a page may still take, counted as they will be sent."""

    left: int

    def excerpt(self, text: str, longest: int | None = None) -> Excerpt:
        """Return as much of `text` as fits, and at most `longest` bytes of it."""
        room = self.left if longest is None else min(self.left, longest)
        kept = used = 0
        pieces = []
        for line in text.splitlines(keepends=True):
            seen = written_out(line)
            size = _size(seen)
            if used + size > room:
                seen, taken = _fitting(line, room - used)
                pieces.append(seen)
                kept, used = kept + taken, used + _size(seen)
                break
            pieces.append(seen)
            kept, used = kept + len(line), used + size
        self.left -= used
        return Excerpt("".join(pieces), len(text) - kept)

    def lines(self, lines: Iterable[str], overhead: int) -> tuple[str, ...]:
        """Return the first of `lines` that fit whole, each with `overhead` bytes around it."""
        found = []
        for line in lines:
            seen = written_out(line)
            size = _size(seen) + overhead
            if size > self.left:
                break
            self.left -= size
            found.append(seen)
        return tuple(found)


def _size(text: str) -> int:
    return len(escape(text).encode())


def _fitting(line: str, room: int) -> tuple[str, int]:
    """Return the beginning of a line that fits, and the number of characters it stands for."""
    pieces: list[str] = []
    for character in line:
        seen = written_out(character)
        room -= _size(seen)
        if room < 0:
            break
        pieces.append(seen)
    return "".join(pieces), len(pieces)
