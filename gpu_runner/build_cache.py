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

from gpu_runner.sandbox import SandboxFailure

STALE = 3600.0
"""Seconds after which a builder's folder is a dead one's: builds end in minutes."""

KEPT_BYTES = 2 << 30
"""Bytes of builds that are kept."""

_PRUNED: set[Path] = set()
"""Folders that this process has already pruned: once is often enough."""


class CacheFailure(SandboxFailure):
    """Builds cannot be written or kept here: this host's fault, no verdict."""


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
        with self.writing(), contextlib.suppress(FileNotFoundError):
            os.utime(entry)
            return entry
        return None

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the operating system refuses in the block into a CacheFailure."""
        try:
            yield
        except OSError as error:
            raise self.failure(error.strerror or str(error)) from error

    def failure(self, reason: str) -> CacheFailure:
        """Return the failure to raise, with the next step in its one line."""
        return CacheFailure(
            f"Builds cannot be kept in {self.folder}: {reason}."
            " Make room there, or set STATE_DIR to a folder that can be written."
        )

    @contextlib.contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Let one process at a time build `key`; look again for the entry inside."""
        with self.writing():
            locks = self._made("locks")
            descriptor = _lock(locks / key)
        try:
            yield
        finally:
            # Removed while held: whoever waited on it sees that and takes the new one.
            with contextlib.suppress(OSError):
                (locks / key).unlink(missing_ok=True)
            os.close(descriptor)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give a folder that is gone afterwards, whatever happened in it."""
        with self.writing():
            parent = self._made("building")
            _sweep(parent)
            folder = Path(tempfile.mkdtemp(dir=parent))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def store(self, key: str, filled: Path) -> Path:
        """Move a filled folder into place and return it there; the first one stays.

        Raises CacheFailure where there is neither afterwards.
        """
        entry = self._entry(key)
        with self.writing():
            self._made(entry.parent.name)
            try:
                filled.rename(entry)
            except OSError:
                if not entry.is_dir():
                    raise
        if self.folder not in _PRUNED:
            _PRUNED.add(self.folder)
            self.prune()
        return entry

    def drop(self, key: str) -> None:
        """Forget an entry, such as one that cannot be read."""
        _remove(self._entry(key))

    def prune(self, keep_bytes: int = KEPT_BYTES) -> int:
        """Remove the entries used longest ago until the rest fit; return how many went."""
        entries = sorted(fact for entry in self.folder.glob("??/*") for fact in _facts(entry))
        excess, removed = sum(size for _used, size, _entry in entries) - keep_bytes, 0
        for _used, size, entry in entries:
            if excess <= 0:
                break
            _remove(entry)
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


def _remove(entry: Path) -> None:
    """Remove a folder, or what lies in its place."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            entry.unlink()


def _facts(entry: Path) -> Iterator[tuple[float, int, Path]]:
    """Give when an entry was used and its bytes; nothing if another process removed it."""
    with contextlib.suppress(OSError):
        files = list(entry.iterdir()) if entry.is_dir() else [entry]
        yield entry.stat().st_mtime, sum(file.stat().st_size for file in files), entry


def _sweep(parent: Path) -> None:
    for folder in parent.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > STALE:
                shutil.rmtree(folder, ignore_errors=True)
