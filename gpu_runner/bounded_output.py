"""Output of unknown length, kept within a known size."""

from dataclasses import dataclass, field

LINE = 2000
"""Characters of one line that are kept."""


@dataclass(slots=True)
class HeadAndTail:
    """The first and the last bytes of a stream, and how many there were in all.

    A compiler's first error says what is wrong and its last lines say how it ended,
    so the middle is what can go. Never holds more than `limit` bytes.
    """

    limit: int
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(data)
        room = self.limit // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            del self._tail[: max(0, len(self._tail) - self.limit // 2)]

    def text(self) -> str:
        """Return what was kept, with a marker where bytes or characters were left out."""
        head, tail = _decoded(self._head), _decoded(self._tail)
        left_out = self.total - len(self._head) - len(self._tail)
        if left_out:
            head = f"{head}\n[… {left_out:,} bytes left out …]\n"
        return "".join(_cut(line) for line in (head + tail).splitlines(keepends=True))


def _decoded(data: bytearray) -> str:
    return data.decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _cut(line: str) -> str:
    excess = len(line.rstrip("\n")) - LINE
    return line if excess <= 0 else f"{line[:LINE]} [… {excess:,} characters left out …]\n"
