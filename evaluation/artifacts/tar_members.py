"""The members of a tar, read from a stream with bounded memory.

Python's own reader keeps every header, and reads extended headers whole however large they
say they are; this one takes ustar, GNU and pax archives of plain files and folders.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.artifacts.bundle_records import Limits
from evaluation.artifacts.compressed import Counted, Damaged
from evaluation.artifacts.member_names import MemberCheck

_BLOCK = 512
_MAX_HEADER = 64 * 1024
_FILES = frozenset({b"0", b"\0", b"7"})
_REFUSED = {
    b"1": "is a hard link",
    b"2": "is a symbolic link",
    b"3": "is a device file",
    b"4": "is a device file",
    b"6": "is a named pipe",
    b"S": "is a sparse file",
}


@dataclass(frozen=True, slots=True)
class _Header:
    """One header block. A long name stands cut off here, even within a character."""

    kind: bytes
    name: bytes
    size: int


@dataclass(slots=True)
class TarMember:
    """A file in the stream; `path` is checked."""

    path: str
    size: int
    _stream: Counted
    _left: int = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.size

    def read(self) -> bytes:
        """The whole content. Raises `Damaged`."""
        data = self._stream.exactly(self._left)
        self._left = 0
        return data

    def finish(self) -> None:
        """Pass over what has not been read, and the padding."""
        missing = self._left + -self.size % _BLOCK
        if self._stream.skip(missing) < missing:
            raise Damaged("its end is missing")


def tar_members(stream: Counted, file: str, limits: Limits) -> Iterator[TarMember]:
    """The files in a tar. Raises `Refused` and `Damaged`."""
    check = MemberCheck(file, limits)
    long_name: str | None = None
    size: int | None = None
    while (header := _next_header(stream)) is not None:
        if header.kind in (b"x", b"g", b"L", b"K"):
            content = _extension(stream, header, check)
            if header.kind == b"L":
                long_name = _text(content.rstrip(b"\0"))
            elif header.kind == b"x":
                long_name, size = _pax(content, long_name, check)
            continue
        name = _text(header.name) if long_name is None else long_name
        length = header.size if size is None else size
        long_name = size = None
        if header.kind == b"5" or (header.kind in _FILES and name.endswith("/")):
            check.path(name)
            length = 0 if header.kind == b"5" else length
            TarMember(name, length, stream).finish()
            continue
        if header.kind not in _FILES:
            check.refuse(name, f"{_REFUSED.get(header.kind, 'is no plain file')}; leave it out")
        member = TarMember(check.file_path(name, length), length, stream)
        yield member
        member.finish()


def _next_header(stream: Counted) -> _Header | None:
    """The next header; None at the archive's end, behind which nothing may come."""
    block = stream.exactly(_BLOCK)
    if not block.strip(b"\0"):
        while data := stream.read(_BLOCK * 128):
            if data.strip(b"\0"):
                raise Damaged("something stands behind the archive's end")
        return None
    if _number(block[148:156]) != sum(block[:148]) + 8 * 32 + sum(block[156:]):
        raise Damaged("it is no tar, or a header is damaged")
    name = block[:100].split(b"\0", 1)[0]
    if block[257:263] == b"ustar\0" and (prefix := block[345:500].split(b"\0", 1)[0]):
        name = prefix + b"/" + name
    return _Header(block[156:157], name, _number(block[124:136]))


def _number(digits: bytes) -> int:
    """A header's number: octal digits, or binary where they do not suffice."""
    if digits[0] == 0x80:
        return int.from_bytes(digits[1:], "big")
    try:
        number = int(digits.strip(b"\0 ") or b"0", 8)
    except ValueError:
        number = -1
    if number < 0:
        raise Damaged("it is no tar, or a header is damaged")
    return number


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        readable = name.decode(errors="replace")
        raise Damaged(f"the name {readable!r} is not UTF-8") from None


def _extension(stream: Counted, header: _Header, check: MemberCheck) -> bytes:
    """The content of a header that says more about the next member."""
    if header.size > _MAX_HEADER:
        check.refuse(_text(header.name), f"is an extended header of {header.size:,} bytes")
    content = stream.exactly(header.size)
    stream.exactly(-header.size % _BLOCK)
    return content


def _pax(content: bytes, name: str | None, check: MemberCheck) -> tuple[str | None, int | None]:
    """Name and size that a pax header gives the next member; None where it gives none."""
    size: int | None = None
    while content:
        length_text, _, rest = content.partition(b" ")
        if not length_text.isdigit() or len(length_text) > 6:
            raise Damaged("a pax header is damaged")
        length = int(length_text) - len(length_text) - 1
        record, content = rest[: max(length, 0)], rest[max(length, 0) :]
        key, sign, value = record.removesuffix(b"\n").partition(b"=")
        if len(record) != length or not sign:
            raise Damaged("a pax header is damaged")
        if key == b"path":
            name = _text(value)
        elif key == b"size":
            if not value.isdigit() or len(value) > 18:
                raise Damaged("a pax header is damaged")
            size = int(value)
        elif key.startswith(b"GNU.sparse."):
            check.refuse(name or "a member", "is a sparse file; leave it out")
    return name, size
