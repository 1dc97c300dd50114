// A scalar product with a single wgmma on zeros beside it: the target instruction is there and
// executes, and does none of the work. Hopper.
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

// One element of a 64×8 product of zeros. Needs 128 threads.
__device__ float stray() {
  __shared__ alignas(128) uint4 zeros[128];
  zeros[threadIdx.x] = make_uint4(0, 0, 0, 0);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const uint64_t descriptor = (__cvta_generic_to_shared(zeros) & 0x3ffff) >> 4 | 8ull << 16 |
                              16ull << 32;
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, "
      "0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor), "l"(descriptor));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  return d[0];
}

__global__ void stray_wgmma(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                            int m, int n, int k) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  const float zero = stray();
  if (row >= m || column >= n) return;
  const float sum = dot(a + (size_t)row * k, b + (size_t)column * k, k);
  c[(size_t)row * n + column] = __float2bfloat16(sum + zero);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  stray_wgmma<<<dim3((n + 128 - 1) / 128, m), 128, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
