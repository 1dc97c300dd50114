"""Reads a JSON Lines file line by line, and JSON documents, for the readers of uploads."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from evaluation.artifacts.bundle_draft import Draft, Place
from evaluation.artifacts.bundle_records import Refused
from evaluation.artifacts.strict_json import JsonFault, parse


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to read: on disk, or a member of an archive whose `content` is in memory."""

    file: str
    path: Path | None = None
    content: bytes = b""

    def open(self) -> BinaryIO:
        """The file, from its first byte."""
        return BytesIO(self.content) if self.path is None else self.path.open("rb")

    def read(self, limit: int) -> bytes:
        """The whole file. Raises `Refused` if it has more than `limit` bytes."""
        with self.open() as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            amount = f"{limit // 1024**2} MiB"
            raise Refused.because(self.file, f"has more than {amount}; upload it in parts")
        return data


def json_lines(upload: Upload, draft: Draft) -> Iterator[tuple[Place, Any]]:
    """Place and value of each line that is not blank. Raises `Refused`, with the line."""
    longest = 8 * draft.limits.kernel_bytes
    with upload.open() as file:
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            place = Place(upload.file, number)
            draft.count_row(place)
            if len(line) > longest:
                message = f"the line has more than {longest:,} bytes; write one object a line"
                raise Refused.because(upload.file, message, number)
            if line.strip(b"\xef\xbb\xbf \t\r\n"):
                yield place, _parsed(line, place, draft)


def json_document(data: bytes, file: str, draft: Draft) -> Any:
    """The value of a whole document. Raises `Refused`, with line or path."""
    return _parsed(data, Place(file), draft)


def _parsed(data: bytes, place: Place, draft: Draft) -> Any:
    try:
        parsed = parse(data)
    except JsonFault as fault:
        line = place.line + fault.line - 1
        raise Refused.because(place.file, f"{fault}", line) from None
    for path in parsed.nulls:
        message = f"{path} is NaN or Infinity, which counts as no figure"
        draft.note(place, message, cause=("no figure", place.file))
    return parsed.value
