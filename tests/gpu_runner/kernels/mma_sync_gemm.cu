// C[M,N] = A[M,K] · B[N,K]ᵀ with mma.sync, the tensor instruction of older architectures.
// A warp makes 16×32 of C and reads its fragments from global memory. K is a multiple of 16.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

constexpr int WARPS = 4, ROWS = 16, COLUMNS = 32;

__device__ uint32_t pair(const __nv_bfloat16* matrix, int row, int rows, int column, int width) {
  if (row >= rows) return 0;
  return *reinterpret_cast<const uint32_t*>(matrix + (size_t)row * width + column);
}

__device__ void multiply_add(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void mma_sync_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                              int m, int n, int k) {
  const int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
  const int row = (blockIdx.y * WARPS + threadIdx.x / 32) * ROWS + group;
  const int column = blockIdx.x * COLUMNS;
  float d[COLUMNS / 8][4] = {};
  for (int at = member * 2; at < k; at += 16) {
    const uint32_t fragment[4] = {pair(a, row, m, at, k), pair(a, row + 8, m, at, k),
                                  pair(a, row, m, at + 8, k), pair(a, row + 8, m, at + 8, k)};
    for (int j = 0; j < COLUMNS / 8; ++j) {
      const int b_row = column + j * 8 + group;
      multiply_add(d[j], fragment, pair(b, b_row, n, at, k), pair(b, b_row, n, at + 8, k));
    }
  }
  for (int j = 0; j < COLUMNS / 8; ++j) {
    for (int i = 0; i < 4; ++i) {
      const int to_row = row + i / 2 * 8, to_column = column + j * 8 + member * 2 + i % 2;
      if (to_row < m && to_column < n)
        c[(size_t)to_row * n + to_column] = __float2bfloat16(d[j][i]);
    }
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const dim3 blocks((n + COLUMNS - 1) / COLUMNS, (m + WARPS * ROWS - 1) / (WARPS * ROWS));
  mma_sync_gemm<<<blocks, WARPS * 32, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
