"""Compiles a kernel in the sandbox, once for each source, target and toolchain."""

import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from gpu_runner.build_cache import BuildCache, default_folder
from gpu_runner.compile_log import (
    Diagnostic,
    Resources,
    ends_in_ptxas,
    read_diagnostics,
    read_resources,
)
from gpu_runner.sandbox import Finished, Limits, Sandbox, SandboxFailure, fetch
from gpu_runner.static_build import may_stand_in
from gpu_runner.toolchain import THIN_HEADERS, Toolchain

Status = Literal["ok", "compile_error", "compile_timeout", "memory"]
KEPT = ("-Xptxas", "-v", "--keep")
"""What a static build adds: registers and spills in the log, and the cubin kept."""

RECORD = "build.json"
BINARIES = ("kernel.cubin", "kernel.so")
FULL = 16 << 20
"""Free bytes below which a build that failed may have failed for want of them."""

_NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded|Read-only file system")
LARGEST = 256 << 20
"""Bytes of a binary that are taken out of the sandbox."""


@dataclass(frozen=True, slots=True)
class Build:
    """How a build ended. `resources` are by mangled function name.

    `cubin` is there after a static build, `library` after a full one; both lie in the
    cache. `thin` says that the thin headers sufficed. `seconds` are those of the build
    that is told about, also when it was cached. `unsafe`: it was built without sandbox.
    """

    status: Status
    log: str
    seconds: float
    command: str
    cubin: Path | None = None
    library: Path | None = None
    cached: bool = False
    thin: bool = False
    unsafe: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    resources: dict[str, Resources] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry's record: the build, and size and SHA-256 of each of its binaries."""

    build: Build
    binaries: dict[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Builder:
    """Compiles kernels with one toolchain, in a sandbox, into one cache.

    `thin=False` never uses the thin headers: slower, and the same verdicts.
    """

    toolchain: Toolchain
    unsafe: bool = False
    thin: bool = True
    limits: Limits = field(default_factory=Limits)
    cache: BuildCache = field(default_factory=lambda: BuildCache(default_folder()))

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox in which everything that reads the kernel runs."""
        return Sandbox(self.toolchain.readable, self.unsafe)

    def compile_static(self, source: str, gencode: str) -> Build:
        """Compile all of a kernel and keep its cubin: what a check without a GPU needs.

        `gencode` is the value of nvcc's -gencode. Raises MissingSandbox, SandboxFailure,
        and CacheFailure, which is one.
        """
        if self.thin and may_stand_in(source):
            headers = f"-I{self.sandbox.seen(THIN_HEADERS)}"
            build = self._once(source, gencode, (headers, *KEPT))
            # The headers cannot make ptxas refuse, a build slow or a build large.
            if build.status != "compile_error" or ends_in_ptxas(build.log):
                return replace(build, thin=True)
        return self._once(source, gencode, KEPT)

    def compile_library(self, source: str, gencode: str) -> Build:
        """Compile a kernel by the protocol's build line into a shared library."""
        return self._once(source, gencode, ())

    def command(self, gencode: str, extra: tuple[str, ...] = ()) -> list[str]:
        """Return the protocol's build line, with `extra` after the compiler's name."""
        seen, tools = self.sandbox.seen, self.toolchain
        runtime = Path(seen(tools.library_folder / "libcudart_static.a")).parent
        return [
            *(seen(tools.nvcc), *extra, "-shared", "-O3", "-gencode", gencode, "-lineinfo"),
            *("-std=c++17", "-Xcompiler", "-fPIC,-fvisibility=hidden"),
            *(f"-I{seen(tools.tvm_ffi / 'include')}", f"-L{seen(tools.tvm_ffi / 'lib')}"),
            *("-ltvm_ffi", f"-L{runtime}"),
            *("kernel.cu", "-o", "kernel.so"),
        ]

    def _build(self, source: str, command: list[str], folder: Path) -> Build:
        """Compile in a folder of its own; leave the binary that it made in `folder`."""
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as private:
            work = Path(private) / "work"
            with self.cache.writing():
                work.mkdir()
                (work / "kernel.cu").write_text(source, encoding="utf-8", newline="\n")
            finished = self.sandbox.run(command, work, self.limits)
            if _status(finished) == "ok":
                with self.cache.writing():
                    _keep(work, folder, cubin="--keep" in command)
            else:
                self._check_room(work, finished)
        return Build(
            status=_status(finished),
            log=finished.log,
            seconds=finished.seconds,
            command=" ".join(command),
            unsafe=self.unsafe,
            diagnostics=read_diagnostics(finished.log),
            resources=read_resources(finished.log),
        )

    def _once(self, source: str, gencode: str, extra: tuple[str, ...]) -> Build:
        """Return a kept build, or build while others wait for it."""
        command = self.command(gencode, extra)
        parts = [*command, self.toolchain.identity, f"unsafe {self.unsafe}", source]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        if (kept := self._kept(key)) is not None:
            return kept
        self.sandbox.check()
        with self.cache.locked(key):
            if (kept := self._kept(key)) is not None:
                return kept
            # Cut short, damaged, or written by another version: build it again.
            self.cache.drop(key)
            with self.cache.workspace() as folder:
                built = self._build(source, command, folder)
                # Out of time or memory may be this host's fault today: not remembered.
                if built.status in {"compile_timeout", "memory"}:
                    return built
                return self._stored(key, built, folder)

    def _stored(self, key: str, built: Build, folder: Path) -> Build:
        """Keep a build for good. Raises CacheFailure if what is kept is not all of it."""
        with self.cache.writing():
            record = Recorded(built, _fingerprints(folder))
            (folder / RECORD).write_bytes(msgspec.json.encode(record))
        entry = self.cache.store(key, folder)
        if _recorded(entry) is None:
            raise self.cache.failure(f"{entry.name} is damaged and cannot be replaced")
        return _placed(built, entry)

    def _check_room(self, work: Path, finished: Finished) -> None:
        """Raise CacheFailure if a build may have failed because this host's disk is full."""
        with self.cache.writing():
            free = shutil.disk_usage(work).free
        # The log alone decides nothing: the source can have a compiler print anything.
        wanted = self.limits.file_bytes if _NO_SPACE.search(finished.log) else FULL
        if finished.ended != "timeout" and free < wanted:
            raise self.cache.failure(f"only {free >> 20} MiB are free")

    def _kept(self, key: str) -> Build | None:
        """Return a build that was kept, if it is whole."""
        entry = self.cache.find(key)
        build = _recorded(entry) if entry else None
        return _placed(replace(build, cached=True), entry) if entry and build else None


def _status(finished: Finished) -> Status:
    if finished.ended == "timeout":
        return "compile_timeout"
    if finished.ended == "memory":
        return "memory"
    return "ok" if finished.status == 0 else "compile_error"


def _keep(work: Path, folder: Path, *, cubin: bool) -> None:
    """Take the cubin or the library; the linker's own cubin holds no code of the kernel.

    Raises SandboxFailure where a build that ended well left none.
    """
    wanted = [p.name for p in work.glob("*.cubin") if "dlink" not in p.name]
    name = next(iter(wanted), "kernel.cubin") if cubin else "kernel.so"
    if fetch(work, name, folder / f"kernel{Path(name).suffix}", LARGEST) is None:
        raise SandboxFailure(f"The compiler succeeded and left no {name} that can be read.")


def _fingerprints(folder: Path) -> dict[str, tuple[int, str]]:
    """Return size and SHA-256 of the binaries that lie in a folder."""
    contents = {n: (folder / n).read_bytes() for n in BINARIES if (folder / n).is_file()}
    return {name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in contents.items()}


def _recorded(entry: Path) -> Build | None:
    """Return the build of an entry, None unless its binaries are those it was kept with."""
    try:
        record = msgspec.json.decode((entry / RECORD).read_bytes(), type=Recorded)
        whole = record.binaries == _fingerprints(entry)
    except (OSError, msgspec.DecodeError):
        return None
    return record.build if whole else None


def _placed(build: Build, entry: Path) -> Build:
    """Say where an entry's binaries lie; not even their names are written down."""
    cubin, library = entry / "kernel.cubin", entry / "kernel.so"
    return replace(
        build,
        cubin=cubin if cubin.is_file() else None,
        library=library if library.is_file() else None,
    )
