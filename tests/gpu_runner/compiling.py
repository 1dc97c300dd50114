"""Compiling a test kernel with plain nvcc: the protocol's flags, without sandbox or cache."""

import subprocess
import sysconfig
from pathlib import Path

KERNELS = Path(__file__).with_name("kernels")
PACKAGES = Path(sysconfig.get_path("purelib"))
CUDA = PACKAGES / "nvidia" / "cu13"
NVCC = CUDA / "bin" / "nvcc"
INCLUDE = PACKAGES / "tvm_ffi" / "include"
FLAGS = ("-O3", "-lineinfo", "-std=c++17", "-Xcompiler", "-fPIC,-fvisibility=hidden")


def nvcc(source: Path, sm: str, output: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    gencode = f"arch={sm.replace('sm_', 'compute_')},code={sm}"
    how = (*(flags or ("-cubin",)), *FLAGS, "-gencode", gencode, f"-I{INCLUDE}")
    command = [str(NVCC), *how, "-o", str(output), str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=170)


def built(source: Path, sm: str, output: Path, *flags: str) -> Path:
    done = nvcc(source, sm, output, *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    return output
