"""Which members of an archive are acceptable: by name, number and size, before any is read."""

import re
import unicodedata
from dataclasses import dataclass, field

from evaluation.artifacts.bundle_records import Limits, Refused
from evaluation.artifacts.names import shown_name

MAX_NAME = 1_000
"""Longest path of a member, in characters."""

_DRIVE = re.compile(r"[A-Za-z]:")
_ARCHIVE = re.compile(
    r".*\.(zip|gz|tgz|tar|zst|tzst|bz2|tbz2?|xz|txz|7z|rar|lz4|lzma|jar|whl|z)", re.IGNORECASE
)


@dataclass(slots=True)
class MemberCheck:
    """Checks the members of one archive, whose own name is `file`."""

    file: str
    limits: Limits
    _seen: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def path(self, name: str) -> str:
        """The member's path, without `./`; empty for the top folder. Raises `Refused`."""
        self._count += 1
        if self._count > self.limits.files:
            raise Refused.because(
                self.file,
                f"holds more than {self.limits.files:,} files, with {shown_name(name)}; "
                "upload it in parts",
            )
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if fault := _path_fault(name, parts):
            self.refuse(name, fault)
        return "/".join(parts)

    def file_path(self, name: str, size: int) -> str:
        """The path of a file with `size` bytes. Raises `Refused`."""
        path = self.path(name)
        if not path or name.endswith("/"):
            self.refuse(name, "is a file without a name")
        if size > self.limits.member_bytes:
            limit = self.limits.member_bytes // 1024**2
            self.refuse(name, f"has {size:,} bytes unpacked; the limit for one file is {limit} MiB")
        if _ARCHIVE.fullmatch(path):
            self.refuse(name, "is an archive inside the archive; put its files in directly")
        self._check_unique(name, path)
        return path

    def refuse(self, name: str, fault: str) -> None:
        """Refuse the archive because of one member."""
        raise Refused.because(self.file, f"{shown_name(name)} {fault}")

    def _check_unique(self, name: str, path: str) -> None:
        """Refuse two members that a file system may take for one."""
        folded = unicodedata.normalize("NFC", path).casefold()
        other = self._seen.get(folded)
        if other is not None:
            differs = f"differs from {shown_name(other)} only in case"
            same = "stands twice" if other == path else differs
            self.refuse(name, f"{same}; rename or remove one")
        self._seen[folded] = path


def _path_fault(name: str, parts: list[str]) -> str:
    """What keeps a path from being one inside the archive's own folder."""
    if name.startswith("/") or _DRIVE.match(name):
        return "is an absolute path; archive the folder with relative paths"
    if ".." in parts:
        return "leads out of the archive's folder; remove the .. from it"
    if "\\" in name:
        return "has a backslash; write paths with /"
    if len(name) > MAX_NAME:
        return f"has {len(name):,} characters; the limit is {MAX_NAME:,}"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "has control characters in its name; rename it"
    return ""
