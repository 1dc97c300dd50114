// C[M,N] = A[M,K] · B[N,K]ᵀ with Blackwell's tcgen05: operands in shared memory, sums in
// tensor memory. A block makes 128×64 of C in steps of 64 along K. N and K are multiples of 64.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

constexpr int ROWS = 128, COLUMNS = 64, DEPTH = 64, THREADS = 128;
constexpr int CORE_BYTES = 128;  // a core matrix: 8 rows of 16 bytes
// D float32, A and B bfloat16, both K-major.
constexpr uint32_t INSTRUCTION =
    1u << 4 | 1u << 7 | 1u << 10 | (COLUMNS >> 3) << 17 | (ROWS >> 4) << 24;

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Tile of a row-major matrix, as core matrices without a swizzle, M or N fastest.
template <int TILE_ROWS>
__device__ void load_tile(uint4* tile, const __nv_bfloat16* matrix, int row, int rows, int column,
                          int width) {
  for (int i = threadIdx.x; i < TILE_ROWS * DEPTH / 8; i += THREADS) {
    const int r = i / 8, chunk = i % 8;
    const auto* from = reinterpret_cast<const uint4*>(matrix + (size_t)(row + r) * width + column);
    tile[chunk * TILE_ROWS + r] = row + r < rows ? from[chunk] : make_uint4(0, 0, 0, 0);
  }
}

template <int TILE_ROWS>
__device__ uint64_t descriptor(const uint4* tile, int k_step) {
  constexpr int k_stride_bytes = TILE_ROWS / 8 * CORE_BYTES;
  const uint64_t address = shared_address(tile) + k_step * 2 * k_stride_bytes;
  return (address & 0x3ffff) >> 4 | (uint64_t)(k_stride_bytes >> 4) << 16 |
         (uint64_t)(CORE_BYTES >> 4) << 32 | 1ull << 46;
}

__device__ void multiply_add(uint32_t d, uint64_t a, uint64_t b, bool accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
      "l"(a), "l"(b), "r"(INSTRUCTION), "r"((uint32_t)accumulate)
      : "memory");
}

__device__ void wait(uint32_t barrier, uint32_t phase) {
  asm volatile(
      "{ .reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again; }" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

__device__ void store_row(uint32_t tmem, __nv_bfloat16* c, bool inside) {
  for (int start = 0; start < COLUMNS; start += 8) {
    uint32_t d[8];
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n"
        "tcgen05.wait::ld.sync.aligned;"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]),
          "=r"(d[7])
        : "r"(tmem + start));
    for (int i = 0; i < 8 && inside; ++i) c[start + i] = __float2bfloat16(__uint_as_float(d[i]));
  }
}

__global__ void __launch_bounds__(THREADS)
    tcgen05_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                 int k) {
  __shared__ alignas(128) uint4 a_tile[ROWS * DEPTH / 8], b_tile[COLUMNS * DEPTH / 8];
  __shared__ alignas(8) uint64_t done;
  __shared__ uint32_t tmem_base;
  const int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS, warp = threadIdx.x / 32;
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     shared_address(&tmem_base)),
                 "n"(COLUMNS)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&done)) : "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const uint32_t tmem = tmem_base;
  for (int start = 0, phase = 0; start < k; start += DEPTH, phase ^= 1) {
    load_tile<ROWS>(a_tile, a, row, m, start, k);
    load_tile<COLUMNS>(b_tile, b, column, n, start, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int step = 0; step < DEPTH / 16; ++step)
        multiply_add(tmem, descriptor<ROWS>(a_tile, step), descriptor<COLUMNS>(b_tile, step),
                     start + step > 0);
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::
                       "r"(shared_address(&done))
                   : "memory");
    }
    wait(shared_address(&done), phase);
  }
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const int to_row = row + threadIdx.x;  // a warp reads its own 32 lanes of tensor memory
  store_row(tmem + (warp * 32 << 16), c + (size_t)to_row * n + column, to_row < m);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 0)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tmem), "n"(COLUMNS));
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  tcgen05_gemm<<<dim3(n / COLUMNS, (m + ROWS - 1) / ROWS), THREADS, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
