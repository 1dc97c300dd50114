"""The files in a zip, tar.gz or tar.zst: read one after the other, never written to disk."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from evaluation.artifacts.bundle_records import Limits, Refused
from evaluation.artifacts.compressed import Counted, Damaged, Gzip, Zstd
from evaluation.artifacts.tar_members import tar_members
from evaluation.artifacts.zip_members import zip_members

ArchiveForm = Literal["zip", "tar.gz", "tar.zst"]

_IGNORED_PARTS = frozenset({"__MACOSX", ".DS_Store"})


class Member(Protocol):
    """A file in an archive; only readable before the next one is asked for."""

    @property
    def path(self) -> str:
        """Its path, relative, with `/`."""

    def read(self) -> bytes:
        """Its content. Raises `Damaged` or `Refused`."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A member whose faults name it."""

    file: str
    member: Member

    @property
    def path(self) -> str:
        """Its path."""
        return self.member.path

    def read(self) -> bytes:
        """Its content. Raises `Refused`."""
        try:
            return self.member.read()
        except Damaged as error:
            raise Refused.because(
                self.file, f"{self.path} cannot be read: {error}; make the archive again"
            ) from None


def members(path: Path, form: ArchiveForm, file: str, limits: Limits) -> Iterator[Member]:
    """The files of the archive at `path`, which is shown as `file`, in its own order.

    Everything that names and sizes can tell is checked first: in a zip before the first
    member, in a tar before each. Raises `Refused` with the member's name.
    """
    try:
        with path.open("rb") as source:
            if form == "zip":
                found: Iterator[Member] = zip_members(source, file, limits)
            else:
                stream = Gzip(source) if form == "tar.gz" else Zstd(source)
                counted = Counted(stream, file, source.tell, limits)
                found = tar_members(counted, file, limits)
            for member in found:
                yield _Opened(file, member)
    except Damaged as error:
        raise Refused.because(
            file, f"cannot be unpacked: {error}; make the archive again"
        ) from None


def is_system_file(path: str) -> bool:
    """Whether an operating system added the file by itself."""
    parts = path.split("/")
    return parts[-1].startswith("._") or not _IGNORED_PARTS.isdisjoint(parts)
