"""Compiles a kernel in the sandbox, once for each source, target and toolchain."""

import hashlib
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
from gpu_runner.sandbox import Finished, Limits, Sandbox, fetch
from gpu_runner.static_build import may_stand_in
from gpu_runner.toolchain import THIN_HEADERS, Toolchain

Status = Literal["ok", "compile_error", "compile_timeout", "memory"]
KEPT = ("-Xptxas", "-v", "--keep")
"""What a static build adds: registers and spills in the log, and the cubin kept."""

RECORD = "build.json"
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

        `gencode` is the value of nvcc's -gencode. Raises MissingSandbox, SandboxFailure.
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
        with tempfile.TemporaryDirectory(dir=folder) as private:
            work = Path(private) / "work"
            work.mkdir()
            (work / "kernel.cu").write_text(source, encoding="utf-8", newline="\n")
            finished = self.sandbox.run(command, work, self.limits)
            if _status(finished) == "ok":
                _keep(work, folder, cubin="--keep" in command)
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
            with self.cache.workspace() as folder:
                built = self._build(source, command, folder)
                # Out of time or memory may be this host's fault today: not remembered.
                if built.status in {"compile_timeout", "memory"}:
                    return built
                (folder / RECORD).write_bytes(msgspec.json.encode(built))
                return _placed(built, self.cache.store(key, folder))

    def _kept(self, key: str) -> Build | None:
        entry = self.cache.find(key)
        if entry is None:
            return None
        try:
            build = msgspec.json.decode((entry / RECORD).read_bytes(), type=Build)
        except (OSError, msgspec.DecodeError):
            # Cut short by a full disk or written by another version: build it again.
            self.cache.drop(key)
            return None
        return _placed(replace(build, cached=True), entry)


def _status(finished: Finished) -> Status:
    if finished.ended == "timeout":
        return "compile_timeout"
    if finished.ended == "memory":
        return "memory"
    return "ok" if finished.status == 0 else "compile_error"


def _keep(work: Path, folder: Path, *, cubin: bool) -> None:
    """Take the cubin or the library; the linker's own cubin holds no code of the kernel."""
    wanted = [p.name for p in work.glob("*.cubin") if "dlink" not in p.name]
    for name in wanted[:1] if cubin else ["kernel.so"]:
        fetch(work, name, folder / f"kernel{Path(name).suffix}", LARGEST)


def _placed(build: Build, entry: Path) -> Build:
    """Say where an entry's binaries lie; not even their names are written down."""
    cubin, library = entry / "kernel.cubin", entry / "kernel.so"
    return replace(
        build,
        cubin=cubin if cubin.is_file() else None,
        library=library if library.is_file() else None,
    )
