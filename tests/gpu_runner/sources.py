"""Kernels that the tests of builds share."""

from pathlib import Path

from evaluation.architectures import ARCHITECTURES

KERNELS = Path(__file__).with_name("kernels")
HOPPER, BLACKWELL = (ARCHITECTURES[slug].gencode for slug in ("hopper", "blackwell"))

GOOD = """\
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/extra/c_env_api.h>
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.f;
}
void run(tvm::ffi::TensorView x) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 2) << "wanted two, not " << x.ndim();
  TVM_FFI_CHECK(x.dtype().code == kDLFloat, TypeError) << "float32 only";
  int n = static_cast<int>(x.shape()[0] * x.size(-1));
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(x.device().device_type, 0));
  scale<<<(n + 127) / 128, 128, 0, stream>>>(static_cast<float*>(x.data_ptr()), n);
  if (cudaError_t e = cudaGetLastError()) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(e);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""
