"""Builds kept by what went into them, safe when several processes want the same one.

An entry is a folder that appears whole, by a rename. Whoever builds holds a lock on a
file of the key's name; the kernel of the operating system lets it go when its holder
dies, so a killed builder leaves a lock that is free and a folder that is swept.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

STALE = 3600.0
"""Seconds after which a builder's folder is a dead one's: builds end in minutes."""


def default_folder() -> Path:
    """Return where builds are kept: in STATE_DIR, else in the user's cache."""
    if state := os.environ.get("STATE_DIR"):
        return Path(state) / "builds"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptxbench" / "builds"


@dataclass(frozen=True, slots=True)
class BuildCache:
    """Entries in one folder, which only this user can read."""

    folder: Path

    def find(self, key: str) -> Path | None:
        """Return an entry's folder, if there is one; note that it was used."""
        entry = self._entry(key)
        with contextlib.suppress(FileNotFoundError):
            os.utime(entry)
            return entry
        return None

    @contextlib.contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Let one process at a time build `key`; look again for the entry inside."""
        locks = self._made("locks")
        descriptor = _lock(locks / key)
        try:
            yield
        finally:
            # Removed while held: whoever waited on it sees that and takes the new one.
            (locks / key).unlink(missing_ok=True)
            os.close(descriptor)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give a folder that is gone afterwards, whatever happened in it."""
        parent = self._made("building")
        _sweep(parent)
        folder = Path(tempfile.mkdtemp(dir=parent))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def store(self, key: str, filled: Path) -> Path:
        """Move a filled folder into place and return it there; the first one stays."""
        entry = self._entry(key)
        self._made(entry.parent.name)
        with contextlib.suppress(OSError):
            filled.rename(entry)
        return entry

    def drop(self, key: str) -> None:
        """Forget an entry, such as one that cannot be read."""
        shutil.rmtree(self._entry(key), ignore_errors=True)

    def prune(self, keep_bytes: int) -> int:
        """Remove the entries used longest ago until the rest fit; return how many went."""
        entries = sorted(self.folder.glob("??/*"), key=lambda entry: entry.stat().st_mtime)
        sizes = [sum(f.stat().st_size for f in entry.iterdir()) for entry in entries]
        excess, removed = sum(sizes) - keep_bytes, 0
        for entry, size in zip(entries, sizes, strict=True):
            if excess <= 0:
                break
            shutil.rmtree(entry, ignore_errors=True)
            excess, removed = excess - size, removed + 1
        return removed

    def _entry(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _made(self, name: str) -> Path:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self.folder / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder


def _lock(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)


def _sweep(parent: Path) -> None:
    for folder in parent.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > STALE:
                shutil.rmtree(folder, ignore_errors=True)
