"""How long it takes to refuse archives that unpack to 1 GB and more, and in how much memory.

    python -m tests.load.bomb

Makes each form of bomb in a temporary folder and has each refused in a process of its own.
Prints seconds, the process's peak of resident memory, and how much of that reading added
to what Python and the reader's code take by themselves.
"""

import gzip
import io
import json
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import zstandard

GIGABYTE = 1024**3
_PIECE = 50 * 1024**2
_REFUSE = """
import json, re, sys, time
from pathlib import Path
from evaluation.artifacts.bundle import Hints, Refused, read_bundle

def peak_kib():  # of this program alone: getrusage's also counts its parent before exec
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

path = Path(sys.argv[1])
before, started = peak_kib(), time.perf_counter()
try:
    reason = f"understood: {read_bundle(path, path.name, Hints()).counts()}"
except Refused as refused:
    reason = str(refused)
seconds = time.perf_counter() - started
peak = peak_kib()
print(json.dumps({"seconds": seconds, "peak_kib": peak, "added_kib": peak - before,
                  "reason": reason}))
"""


class Zeros(io.RawIOBase):
    """A file of `size` zero bytes."""

    def __init__(self, size: int) -> None:
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """Up to `size` zeros."""
        size = self._left if size < 0 else min(size, self._left)
        self._left -= size
        return bytes(size)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What one process said: seconds and peak are of that process alone."""

    seconds: float
    peak_kib: int
    added_kib: int
    reason: str


def zip_bomb(path: Path, sizes: list[int]) -> None:
    """A zip with a member of zeros for each size."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number, size in enumerate(sizes):
            with archive.open(f"trajectories/exp_{number:03d}.json", "w") as member:
                for _ in range(size // 1024**2):
                    member.write(bytes(1024**2))


def lying_zip_bomb(path: Path) -> None:
    """A zip that says its member has 100 bytes, and holds a gigabyte."""
    zip_bomb(path, [GIGABYTE])
    data = bytearray(path.read_bytes())
    entry = data.rfind(b"PK\1\2")
    data[entry + 24 : entry + 28] = struct.pack("<L", 100)
    data[entry + 16 : entry + 20] = struct.pack("<L", zlib.crc32(bytes(100)))
    path.write_bytes(data)


def _tar(file: IO[bytes], sizes: list[int]) -> None:
    with tarfile.open(fileobj=file, mode="w|") as archive:
        for number, size in enumerate(sizes):
            member = tarfile.TarInfo(f"trajectories/exp_{number:03d}.json")
            member.size = size
            archive.addfile(member, Zeros(size))


def _pax(file: IO[bytes], _sizes: list[int]) -> None:
    """A tar whose one extended header has a gigabyte."""
    header = tarfile.TarInfo("PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, GIGABYTE
    file.write(header.tobuf(tarfile.USTAR_FORMAT))
    for _ in range(GIGABYTE // 1024**2):
        file.write(bytes(1024**2))


def gzip_bomb(path: Path, sizes: list[int], write: Callable[..., None] = _tar) -> None:
    """A tar.gz with a member of zeros for each size."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        write(file, sizes)


def zstd_bomb(path: Path, sizes: list[int]) -> None:
    """A tar.zst with a member of zeros for each size."""
    with zstandard.open(path, "wb", cctx=zstandard.ZstdCompressor(level=1)) as file:
        _tar(file, sizes)


_MANY = [_PIECE] * 21
BOMBS: dict[str, Callable[[Path], None]] = {
    "one.zip": lambda path: zip_bomb(path, [GIGABYTE]),
    "many.zip": lambda path: zip_bomb(path, _MANY),
    "lying.zip": lying_zip_bomb,
    "one.tar.gz": lambda path: gzip_bomb(path, [GIGABYTE]),
    "many.tar.gz": lambda path: gzip_bomb(path, _MANY),
    "header.tar.gz": lambda path: gzip_bomb(path, [], _pax),
    "one.tar.zst": lambda path: zstd_bomb(path, [GIGABYTE]),
    "many.tar.zst": lambda path: zstd_bomb(path, _MANY),
}
"""Each form of bomb by its file name, as a function that writes it."""


def refuse(path: Path) -> Refusal:
    """Have the file refused in a process of its own."""
    command = [sys.executable, "-c", _REFUSE, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Refusal(**json.loads(done.stdout))


def main() -> None:
    """Print a line for each bomb."""
    with tempfile.TemporaryDirectory() as folder:
        for name, write in BOMBS.items():
            path = Path(folder) / name
            write(path)
            size = path.stat().st_size
            started = time.perf_counter()
            found = refuse(path)
            whole = time.perf_counter() - started
            path.unlink()
            print(
                f"{name:14} {size / 1024**2:5.2f} MiB  {found.seconds:6.3f} s "
                f"(process {whole:5.2f} s)  peak {found.peak_kib / 1024:5.1f} MiB "
                f"(+{found.added_kib / 1024:4.1f})  {found.reason}"
            )


if __name__ == "__main__":
    main()
