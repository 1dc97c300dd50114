// C[M,N] = A[M,K] · B[N,K]ᵀ on the FMA pipe: right, slow, and no tensor core.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

namespace {

constexpr int TILE = 16;

__global__ void scalar_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                            int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int b_row = blockIdx.x * TILE + threadIdx.y;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    const int at = start + threadIdx.x;
    a_tile[threadIdx.y][threadIdx.x] =
        row < m && at < k ? __bfloat162float(a[(size_t)row * k + at]) : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] =
        b_row < n && at < k ? __bfloat162float(b[(size_t)b_row * k + at]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[threadIdx.y][i] * b_tile[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && column < n) c[(size_t)row * n + column] = __float2bfloat16(sum);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  scalar_gemm<<<blocks, dim3(TILE, TILE), 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
