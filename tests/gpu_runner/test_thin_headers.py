"""Thin headers change how long a build takes, and nothing else."""

import os
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_runner.builds import Build
from gpu_runner.static_build import may_stand_in
from gpu_runner.toolchain import Toolchain
from tests.gpu_runner.sources import GOOD, HOPPER, KERNELS

BAD = {
    "an unknown name": GOOD.replace("x[i] *= 2.f", "x[i] *= two"),
    "a method that is not there": GOOD.replace("x.size(-1)", "x.extent(1)"),
    "a pointer as parameter": GOOD + "void p(float*);\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(p, p);\n",
    "an overload": GOOD.replace("void run(", "void run(int);\nvoid run("),
    "a function with a parameter's name": GOOD.replace("run, run", "run, args"),
    "noexcept": GOOD.replace("TensorView x) {", "TensorView x) noexcept {"),
    "a lambda": GOOD.replace("run, run", "run, [](tvm::ffi::TensorView x) { run(x); }"),
    "a binding without its header": GOOD.replace("container/tensor.h", "error.h"),
    "a name that only the real headers bring": GOOD
    + "template <int N> struct vector {};\nusing namespace std;\nvector<1> values;\n",
    "a tensor printed": GOOD.replace("<< x.ndim()", "<< x"),
    "host assembly": GOOD + 'asm(".incbin \\"/etc/passwd\\"");\n',
    "device assembly": GOOD.replace("x[i] *= 2.f", 'asm(".incbin \\"/etc/passwd\\";")'),
    "a hidden symbol": GOOD.replace(
        "void run(", '__attribute__((visibility("hidden"))) void g();\nvoid run('
    ).replace("int n =", "g(); int n ="),
    "too much shared memory": GOOD.replace(
        "int i =",
        "__shared__ float big[90000]; big[threadIdx.x] = x[0]; __syncthreads();"
        " x[1] = big[blockDim.x - threadIdx.x]; int i =",
    ),
}
FINE = {
    "plain": GOOD,
    "the standard library": GOOD.replace("int n =", "std::vector<int> v{1}; int n ="),
    "a namespace": GOOD + "using namespace tvm::ffi;\nvoid g(Tensor t) { run(t); }\n",
}


@pytest.mark.parametrize("source", [*BAD.values(), *FINE.values()], ids=[*BAD, *FINE])
def test_the_verdict_is_the_same_without_thin_headers(builder, source):
    thin = builder.compile_static(source, HOPPER)
    full = replace(builder, thin=False).compile_static(source, HOPPER)

    assert thin.status == full.status == ("ok" if source in FINE.values() else "compile_error")
    assert not full.thin
    assert code(thin) == code(full)
    assert thin.resources.keys() == full.resources.keys() or full.status != "ok"


@pytest.mark.parametrize("kernel", ["wgmma_gemm.cu", "tma_copy.cu"])
def test_the_code_is_the_same_without_thin_headers(builder, kernel):
    source = (KERNELS / kernel).read_text()
    thin = builder.compile_static(source, HOPPER)
    full = replace(builder, thin=False).compile_static(source, HOPPER)

    assert (thin.thin, full.thin) == (True, False)
    assert code(thin) == code(full) != {}
    assert thin.resources == full.resources


def code(build: Build) -> dict[str, bytes]:
    """The code and the constants of a cubin: not its line table, which holds times."""
    if build.cubin is None:
        return {}
    elf = build.cubin.read_bytes()
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + size * n) for n in range(count)]
    start = sections[names][4]
    named = {elf[start + s[0] : elf.index(b"\0", start + s[0])].decode(): s for s in sections}
    wanted = {name: s for name, s in named.items() if name.startswith((".text", ".nv.constant"))}
    return {name: elf[s[4] : s[4] + s[5]] for name, s in wanted.items()}


def test_sources_that_could_tell_the_headers_apart_get_the_real_ones():
    assert may_stand_in(GOOD)
    assert may_stand_in(GOOD + "// using a name\n#define TILE 128\n")
    for doubtful in (
        "#define N 128\n" + GOOD,
        GOOD.replace("tvm/ffi/function.h", "tvm/ffi/any.h"),
        GOOD + "using namespace std;\n",
        GOOD + "using \\\nnamespace std;\n",
        GOOD + "namespace std { template <> struct hash<int*> {}; }\n",
        "#define HEADER <tvm/ffi/any.h>\n#include HEADER\n" + GOOD,
        GOOD + "#if defined(TVM_FFI_ANY_H_)\n#error\n#endif\n",
        "__global__ void k() {}\n",
    ):
        assert not may_stand_in(doubtful)


def test_the_thin_headers_bring_the_c_headers_of_the_real_ones(toolchain):
    real, thin = (headers(toolchain, *extra) for extra in ((), ("gpu_runner/thin_headers",)))

    assert len(thin) < len(real)
    missing = {name for name in real - thin if "/c++/" not in name and "/tvm/" not in name}
    assert missing == set()


def headers(toolchain: Toolchain, *first: str) -> set[str]:
    folders = [*first, toolchain.tvm_ffi / "include", toolchain.cuda / "include"]
    command = ["g++", "-std=c++17", "-M", "-x", "c++", "-", *(f"-I{f}" for f in folders)]
    source = "#include <cuda_runtime.h>\n#include <tvm/ffi/tvm_ffi.h>\n"
    root = Path(__file__).parents[2]
    done = subprocess.run(command, input=source, capture_output=True, text=True, cwd=root)
    return {os.path.realpath(root / name) for name in done.stdout.split() if name.endswith(".h")}
