"""The members of a zip, whose directory is checked whole before the first one is read."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from evaluation.artifacts.bundle_records import Limits, Refused
from evaluation.artifacts.compressed import Damaged, check_unpacked
from evaluation.artifacts.member_names import MemberCheck

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\5\6"
_LOCATOR_MARK = b"PK\6\7"
_LOCATOR_SIZE = 20
_LONGEST_COMMENT = 65_535
_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_BYTES = 512  # in the mean, much for a name with its extra fields
_ENTRY_MARK = b"PK\1\2"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in a zip; `path` is checked."""

    path: str
    _archive: zipfile.ZipFile
    _info: zipfile.ZipInfo

    def read(self) -> bytes:
        """The whole content, never more than the directory says. Raises `Damaged`."""
        size = self._info.file_size
        try:
            # Asking for an amount bounds what is decompressed, whatever the entry really holds.
            with self._archive.open(self._info) as content:
                data = content.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise Damaged("it is damaged") from None
        if len(data) < size:
            raise Damaged("its end is missing")
        return data


def zip_members(source: BinaryIO, file: str, limits: Limits) -> Iterator[ZipMember]:
    """The files in a zip. Raises `Refused` and `Damaged`."""
    size = source.seek(0, 2)
    _check_directory(source, size, file, limits)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise Damaged("its directory is damaged") from None
    with archive:
        check = MemberCheck(file, limits)
        checked = [(_checked_path(info, check), info) for info in archive.infolist()]
        unpacked = sum(info.file_size for info in archive.infolist())
        check_unpacked(unpacked, size, limits, file)
        for path, info in checked:
            if path:
                yield ZipMember(path, archive, info)


def _check_directory(source: BinaryIO, size: int, file: str, limits: Limits) -> None:
    """Count the entries, before a record of each is made in memory."""
    tail_start = max(0, size - _END.size - _LONGEST_COMMENT)
    source.seek(tail_start)
    tail = source.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) < at + _END.size:
        raise Damaged("its directory is missing")
    length, offset = _END.unpack_from(tail, at)[5:7]
    if tail[max(at - _LOCATOR_SIZE, 0) :].startswith(_LOCATOR_MARK) or 0xFFFFFFFF in (
        length,
        offset,
    ):
        raise Refused.because(file, "is a zip64 archive; make a plain zip, which does up to 4 GB")
    if length > limits.files * _ENTRY_BYTES:
        raise Refused.because(file, "has a directory that is too long; upload it in parts")
    start = tail_start + at - length
    if start < 0:
        raise Damaged("its directory is damaged")
    source.seek(start)
    directory = source.read(length)
    if (count := _entry_count(directory)) > limits.files:
        raise Refused.because(
            file, f"holds {count:,} files; the limit is {limits.files:,}. Upload it in parts"
        )


def _entry_count(directory: bytes) -> int:
    """The number of entries in a directory."""
    count = at = 0
    while at + _ENTRY.size <= len(directory):
        entry = _ENTRY.unpack_from(directory, at)
        if entry[0] != _ENTRY_MARK:
            raise Damaged("its directory is damaged")
        at += _ENTRY.size + sum(entry[10:13])
        count += 1
    return count


def _checked_path(info: zipfile.ZipInfo, check: MemberCheck) -> str:
    """The path of a file to be read; empty for a folder. Raises `Refused`."""
    name = info.orig_filename
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        check.refuse(name, "is a symbolic link; leave it out")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        check.refuse(name, "is a device file, pipe or socket; leave it out")
    if name.endswith("/"):
        check.path(name)
        return ""
    if info.flag_bits & _ENCRYPTED:
        check.refuse(name, "is encrypted; make the zip without a password")
    if info.compress_type not in _METHODS:
        check.refuse(name, "is compressed in a way that is not read here; use deflate")
    return check.file_path(name, info.file_size)
