"""Decompressed streams that give no more than asked for, and stop at a limit."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

import zstandard

from evaluation.artifacts.bundle_records import Limits, Refused

MAX_WINDOW = 8 * 1024**2
"""Largest zstd window, in bytes: what `zstd -19` writes, and RFC 8878 asks readers to take."""

ALLOWANCE = 8 * 1024**2
"""Bytes that any file may unpack to, however small it is."""

_CHUNK = 64 * 1024
_GZIP = 31  # zlib's sign for a gzip header


class Damaged(ValueError):
    """A compressed stream that cannot be read to its end. The message says why."""


class Stream(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""


@dataclass(slots=True)
class Gzip:
    """The content of a gzip file of one member. Memory: two chunks."""

    file: BinaryIO
    _member: "zlib._Decompress" = field(default_factory=lambda: zlib.decompressobj(_GZIP))

    def read(self, size: int) -> bytes:
        """Up to `size` bytes. Raises `Damaged`."""
        while not self._member.eof:
            data = self._member.unconsumed_tail or self.file.read(_CHUNK)
            if not data:
                raise Damaged("its end is missing")
            try:
                content = self._member.decompress(data, size)
            except zlib.error:
                raise Damaged("it is damaged") from None
            if content:
                return content
        self._check_padding()
        return b""

    def _check_padding(self) -> None:
        """Only padding may follow: a second member would hide what others do not see."""
        data = self._member.unused_data
        while data:
            if data.strip(b"\0"):
                raise Damaged("something stands behind its end")
            data = self.file.read(_CHUNK)


class Zstd:
    """The content of a zstd file, of one or several frames. Memory: one window."""

    def __init__(self, file: BinaryIO) -> None:
        reader = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        self._stream = reader.stream_reader(file, read_size=_CHUNK, read_across_frames=True)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes. Raises `Damaged`."""
        try:
            return self._stream.read(size)
        except zstandard.ZstdError as error:
            if "too much memory" in str(error):
                raise Damaged("its window is larger than 8 MiB; compress without --long") from None
            raise Damaged("it is damaged") from None


@dataclass(slots=True)
class Counted:
    """A stream that may give as many bytes as the limits allow for those it has taken in.

    `taken` is the number of compressed bytes read so far, so that a bomb is told by its
    beginning, and not by its end.
    """

    stream: Stream
    file: str
    taken: Callable[[], int]
    limits: Limits
    _given: int = field(default=0)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes. Raises `Refused` beyond the limits and `Damaged`."""
        data = self.stream.read(size)
        self._given += len(data)
        check_unpacked(self._given, self.taken(), self.limits, self.file)
        return data

    def skip(self, size: int) -> int:
        """Pass over `size` bytes; return how many there were."""
        skipped = 0
        while skipped < size and (data := self.read(min(_CHUNK, size - skipped))):
            skipped += len(data)
        return skipped

    def exactly(self, size: int) -> bytes:
        """The next `size` bytes. Raises `Damaged` if there are fewer."""
        parts, missing = [], size
        while missing and (data := self.read(min(_CHUNK, missing))):
            parts.append(data)
            missing -= len(data)
        if missing:
            raise Damaged("its end is missing")
        return b"".join(parts)


def check_unpacked(unpacked: int, size: int, limits: Limits, file: str) -> None:
    """Refuse a file of `size` bytes that unpacks to too much."""
    if unpacked > limits.unpacked_bytes:
        amount = f"{limits.unpacked_bytes // 1024**2:,} MiB"
        raise Refused.because(file, f"unpacks to more than {amount}; upload it in parts")
    if unpacked > ALLOWANCE + limits.ratio * size:
        raise Refused.because(
            file,
            f"unpacks to more than {limits.ratio} times its size, as a decompression bomb does; "
            "leave out files that hold the same bytes over and over",
        )
