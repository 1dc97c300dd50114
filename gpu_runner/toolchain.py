"""The compilers and disassemblers: found, named, and shown to a sandbox.

The pinned CUDA wheels of this environment come first, so that the same source gives the
same binary everywhere; a toolkit on PATH is taken where they are missing.
"""

import functools
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gpu_runner.system_files import Readable, compiler_files, program_files

CUDA, TVM_FFI, THIN = "/opt/cuda", "/opt/tvm_ffi", "/opt/thin_headers"
"""Where the sandbox shows them: the same on every host, so logs and keys are the same."""

THIN_HEADERS = Path(__file__).with_name("thin_headers")
WHEELS = "nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt, nvidia-cuda-runtime, nvidia-cuda-cccl"
_LIBRARIES = ("libcudart_static.a", "libcudadevrt.a")


class MissingToolchain(RuntimeError):
    """Kernels cannot be compiled here; the message is one line with the next step."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Paths on this host. `identity` changes whenever a build could come out otherwise.

    `readable` is what a sandbox must show so that all of it works.
    """

    cuda: Path
    library_folder: Path
    tvm_ffi: Path
    gxx: Path
    version: str
    identity: str
    readable: tuple[Readable, ...]

    @property
    def nvcc(self) -> Path:
        """The compiler driver."""
        return self.cuda / "bin" / "nvcc"

    @property
    def cuobjdump(self) -> Path:
        """The tool that lists what a binary holds."""
        return self.cuda / "bin" / "cuobjdump"

    @property
    def nvdisasm(self) -> Path:
        """The disassembler of cubins."""
        return self.cuda / "bin" / "nvdisasm"


def find_toolchain(
    packages: tuple[Path, ...] | None = None, search: str | None = None
) -> Toolchain:
    """Return the toolchain of this environment; found once per process.

    `packages` are folders of installed packages (default: sys.path), `search` replaces
    PATH. Raises MissingToolchain.
    """
    return _find(packages or tuple(map(Path, sys.path)), search or os.environ.get("PATH", ""))


@functools.cache
def _find(packages: tuple[Path, ...], search: str) -> Toolchain:
    gxx = shutil.which("g++", path=search)
    if gxx is None:
        raise MissingToolchain("g++ is missing. On Debian and Ubuntu: apt-get install g++")
    cuda, tvm_ffi = _find_cuda(packages, search), _find_tvm_ffi(packages)
    version, identity = _identify(cuda, tvm_ffi, gxx)
    libraries = next(cuda / n for n in ("lib", "lib64") if (cuda / n / _LIBRARIES[0]).is_file())
    readable = (*_cuda_files(cuda, libraries), *_header_files(tvm_ffi), *compiler_files(gxx))
    programs = tuple(str(path) for path in _programs(cuda))
    loaded = [one for one in program_files(programs) if not one.source.is_relative_to(cuda)]
    everything = tuple(dict.fromkeys((*readable, *loaded)))
    return Toolchain(cuda, libraries, tvm_ffi, Path(gxx), version, identity, everything)


def _find_cuda(packages: tuple[Path, ...], search: str) -> Path:
    roots = [folder / "nvidia" / "cu13" for folder in packages]
    on_path = shutil.which("nvcc", path=search)
    if on_path:
        roots.append(Path(on_path).resolve().parents[1])
    for root in roots:
        if os.access(root / "bin" / "nvcc", os.X_OK) and (root / "nvvm" / "bin" / "cicc").exists():
            if any((root / name / _LIBRARIES[0]).is_file() for name in ("lib", "lib64")):
                return root
            raise MissingToolchain(f"The CUDA toolkit at {root} is incomplete: install {WHEELS}")
    raise MissingToolchain(
        f"nvcc is missing: pip install -r requirements.txt (it brings {WHEELS}, all 13.0)"
    )


def _find_tvm_ffi(packages: tuple[Path, ...]) -> Path:
    for folder in packages:
        if (folder / "tvm_ffi" / "include" / "tvm" / "ffi" / "c_api.h").is_file():
            return folder / "tvm_ffi"
    raise MissingToolchain("TVM-FFI is missing: pip install -r requirements.txt (apache-tvm-ffi)")


def _programs(cuda: Path) -> list[Path]:
    names = ("nvcc", "cudafe++", "ptxas", "fatbinary", "nvlink", "cuobjdump", "nvdisasm")
    found = [cuda / "bin" / name for name in names] + [cuda / "nvvm" / "bin" / "cicc"]
    return [path for path in found if path.is_file()]


def _cuda_files(cuda: Path, libraries: Path) -> list[Readable]:
    """Return the toolkit without its vendor libraries: nothing can embed or link those."""
    folders = [name for name in ("bin", "nvvm", "include", "targets") if (cuda / name).is_dir()]
    files = [f"{libraries.name}/{name}" for name in _LIBRARIES]
    return [Readable(cuda / name, f"{CUDA}/{name}") for name in [*folders, *files]]


def _header_files(tvm_ffi: Path) -> list[Readable]:
    folders = [Readable(tvm_ffi / name, f"{TVM_FFI}/{name}") for name in ("include", "lib")]
    return [*folders, Readable(THIN_HEADERS, THIN)]


def _identify(cuda: Path, tvm_ffi: Path, gxx: str) -> tuple[str, str]:
    """Return a version for people and a hash of all that a build depends on."""
    said = [_says([str(cuda / "bin" / name), "--version"]) for name in ("nvcc", "ptxas")]
    compiler = _says([gxx, "--version"])
    try:
        bound = importlib.metadata.version("apache-tvm-ffi")
    except importlib.metadata.PackageNotFoundError:
        bound = "of unknown version"
    found = re.search(r"V(\d+\.\d+\.\d+)", said[0])
    version = f"CUDA {found[1] if found else '?'}, {compiler.splitlines()[0]}, TVM-FFI {bound}"
    sizes = [f"{path.name} {path.stat().st_size}" for path in _programs(cuda)]
    headers = [path.read_text() for path in sorted(THIN_HEADERS.rglob("*.h"))]
    whole = "\0".join([*said, compiler, bound, *sizes, *headers, str(_size(tvm_ffi))])
    return version, hashlib.sha256(whole.encode()).hexdigest()


def _size(tvm_ffi: Path) -> int:
    return sum(path.stat().st_size for path in (tvm_ffi / "include").rglob("*.h"))


def _says(command: list[str]) -> str:
    try:
        finished = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, errors="replace", check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MissingToolchain(f"{command[0]} does not run here: {error}") from error
    return finished.stdout.strip() or "?"
