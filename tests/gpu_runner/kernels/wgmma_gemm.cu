// C[M,N] = A[M,K] · B[N,K]ᵀ with Hopper's wgmma, both operands in shared memory.
// A warpgroup makes 64×64 of C in steps of 64 along K. N and K are multiples of 64.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

constexpr int TILE = 64, THREADS = 128;
constexpr int CORE_BYTES = 128;                       // a core matrix: 8 rows of 16 bytes
constexpr int K_STRIDE_BYTES = TILE / 8 * CORE_BYTES;  // between core matrices along K

// Tile of a row-major matrix, as core matrices without a swizzle, M or N fastest.
__device__ void load_tile(uint4* tile, const __nv_bfloat16* matrix, int row, int rows, int column,
                          int width) {
  for (int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
    const int r = i / 8, chunk = i % 8;
    const auto* from = reinterpret_cast<const uint4*>(matrix + (size_t)(row + r) * width + column);
    tile[chunk * TILE + r] = row + r < rows ? from[chunk] : make_uint4(0, 0, 0, 0);
  }
}

__device__ uint64_t descriptor(const uint4* tile, int k_step) {
  const uint64_t address = __cvta_generic_to_shared(tile) + k_step * 2 * K_STRIDE_BYTES;
  return (address & 0x3ffff) >> 4 | (uint64_t)(K_STRIDE_BYTES >> 4) << 16 |
         (uint64_t)(CORE_BYTES >> 4) << 32;
}

__device__ void multiply_add(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
        "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
        "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

__global__ void __launch_bounds__(THREADS)
    wgmma_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
               int k) {
  __shared__ alignas(128) uint4 a_tile[TILE * TILE / 8], b_tile[TILE * TILE / 8];
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  float d[32] = {};
  for (int start = 0; start < k; start += TILE) {
    load_tile(a_tile, a, row, m, start, k);
    load_tile(b_tile, b, column, n, start, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads by another proxy
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < TILE / 16; ++step)
      multiply_add(d, descriptor(a_tile, step), descriptor(b_tile, step));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 32; ++i) {
    const int to_row = row + threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
    const int to_column = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (to_row < m) c[(size_t)to_row * n + to_column] = __float2bfloat16(d[i]);
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  wgmma_gemm<<<dim3(n / TILE, (m + TILE - 1) / TILE), THREADS, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
