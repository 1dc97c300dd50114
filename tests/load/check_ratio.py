"""How long a kernel takes to compile for a check, against a plain loop of nvcc.

    python -m tests.load.check_ratio [--kernels 40] [--plain 10]

Writes that many different kernels, then compiles them in one run: the protocol's build
line in a plain loop and two at a time, without sandbox or cache (a sample of them), and
what a check compiles, in the sandbox, as many at a time as there are processors; then
the check's part again, from the cache. Prints seconds a kernel and ratios.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from evaluation.architectures import ARCHITECTURES
from gpu_runner.build_cache import BuildCache
from gpu_runner.builds import Build, Builder
from gpu_runner.toolchain import Toolchain, find_toolchain

Result = TypeVar("Result")
GENCODE = ARCHITECTURES["hopper"].gencode
HEADERS = """\
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>
"""
KERNEL = """
constexpr int kTile = %(tile)d, kWork = %(work)d;
__global__ void gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                     int m, int n, int k) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum[kWork] = {};
  for (int start = 0; start < k; start += kTile) {
    left[threadIdx.y][threadIdx.x] = __bfloat162float(a[int64_t(row) * k + start + threadIdx.x]);
    right[threadIdx.y][threadIdx.x] =
        __bfloat162float(b[int64_t(column) * k + start + threadIdx.y]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i)
      sum[i %% kWork] += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  float total = %(number)d.f * 0.f;
  for (float part : sum) total += part;
  if (row < m && column < n) c[int64_t(row) * n + column] = __float2bfloat16(total);
}
void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  TVM_FFI_ICHECK_EQ(a.ndim(), 2) << "variant %(number)d";
  int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  int n = static_cast<int>(b.size(0));
  auto device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  gemm<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile), 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  if (cudaError_t e = cudaGetLastError()) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(e);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--plain", type=int, default=10, help="how many the plain loops compile")
    asked = parser.parse_args()
    sources = [_source(number) for number in range(asked.kernels)]
    toolchain, workers = find_toolchain(), len(os.sched_getaffinity(0))
    print(toolchain.version)
    print(f"processors                     {workers}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        plain, check = Path(folder) / "plain", Path(folder) / "check"
        plain.mkdir()
        loop = _plain(sources[: asked.plain], toolchain, plain, 1)
        print(f"plain nvcc, one at a time      {loop:.2f} s a kernel")
        pair = _plain(sources[: asked.plain], toolchain, plain, workers)
        print(f"plain nvcc, {workers} at a time        {pair:.2f} s a kernel")
        builder = Builder(toolchain, cache=BuildCache(check))
        _report_check(sources, builder, workers, loop, pair)


def _source(number: int) -> str:
    shape = {"tile": (8, 16, 32)[number % 3], "work": number % 7 + 1, "number": number}
    return HEADERS + KERNEL % shape


def _report_check(
    sources: list[str], builder: Builder, workers: int, loop: float, pair: float
) -> None:
    for name, cached in (("check", False), ("again, from the cache", True)):
        seconds, builds = _check(sources, builder, workers)
        assert all(build.status == "ok" and build.cached is cached for build in builds)
        print(
            f"{name:30} {seconds:.4f} s a kernel: {loop / seconds:.1f} times the plain loop's"
            f" rate, {pair / seconds:.1f} times that of {workers} at a time"
        )
    real = replace(builder, thin=False, cache=BuildCache(builder.cache.folder / "real"))
    seconds, _builds = _check(sources[: 2 * workers], real, workers)
    print(f"check with the real headers    {seconds:.2f} s a kernel")


def _check(sources: list[str], builder: Builder, workers: int) -> tuple[float, list[Build]]:
    return _timed(lambda source: builder.compile_static(source, GENCODE), sources, workers)


def _plain(sources: list[str], toolchain: Toolchain, folder: Path, workers: int) -> float:
    line = replace(Builder(toolchain), unsafe=True).command(GENCODE)

    def compile_one(source: str) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as work:
            (Path(work) / "kernel.cu").write_text(source)
            subprocess.run(line, cwd=work, check=True, capture_output=True)

    return _timed(compile_one, sources, workers)[0]


def _timed(
    work: Callable[[str], Result], sources: list[str], workers: int
) -> tuple[float, list[Result]]:
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(work, sources))
    return (time.perf_counter() - started) / len(sources), results


if __name__ == "__main__":
    main()
