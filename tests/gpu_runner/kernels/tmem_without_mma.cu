// A scalar product that allocates tensor memory, commits an empty batch and loads what lies
// there: tcgen05 by name, but no multiplication by it. Blackwell.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

__device__ float dot(const __nv_bfloat16* a, const __nv_bfloat16* b, int k) {
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += __bfloat162float(a[i]) * __bfloat162float(b[i]);
  return sum;
}

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ float from_tensor_memory() {
  __shared__ alignas(8) uint64_t done;
  __shared__ uint32_t tmem_base;
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(
                     shared_address(&tmem_base))
                 : "memory");
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&done)) : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::
                     "r"(shared_address(&done))
                 : "memory");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const uint32_t tmem = tmem_base;
  uint32_t value;
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=r"(value)
      : "r"(tmem + (threadIdx.x / 32 * 32 << 16)));
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(tmem));
  return __uint_as_float(value);
}

__global__ void tmem_without_mma(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                                 int m, int n, int k) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  const float unused = from_tensor_memory();
  if (row >= m || column >= n) return;
  const float sum = dot(a + (size_t)row * k, b + (size_t)column * k, k);
  c[(size_t)row * n + column] = __float2bfloat16(k < 0 ? unused : sum);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  tmem_without_mma<<<dim3((n + 128 - 1) / 128, m), 128, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
