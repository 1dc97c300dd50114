// A scalar product that prefetches B's tensor map and a tile of B by TMA: hints that move
// nothing into shared memory and multiply nothing.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

namespace {

constexpr int TILE = 64;

__device__ float dot(const __nv_bfloat16* a, const __nv_bfloat16* b, int k) {
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += __bfloat162float(a[i]) * __bfloat162float(b[i]);
  return sum;
}

__global__ void prefetch_only(const __grid_constant__ CUtensorMap map, const __nv_bfloat16* a,
                              const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map),
                 "r"(0), "r"(column)
                 : "memory");
  }
  if (row >= m || column >= n) return;
  const float sum = dot(a + (size_t)row * k, b + (size_t)column * k, k);
  c[(size_t)row * n + column] = __float2bfloat16(sum);
}

CUtensorMap tensor_map(tvm::ffi::TensorView tensor) {
  const auto rows = static_cast<cuuint64_t>(tensor.size(0));
  const auto columns = static_cast<cuuint64_t>(tensor.size(1));
  const cuuint64_t sizes[2] = {columns, rows}, strides[1] = {columns * sizeof(__nv_bfloat16)};
  const cuuint32_t box[2] = {TILE, TILE}, steps[2] = {1, 1};
  CUtensorMap map;
  const CUresult result = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, tensor.data_ptr(), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) TVM_FFI_THROW(RuntimeError) << "tensor map: error " << result;
  return map;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  prefetch_only<<<dim3((n + 256 - 1) / 256, m), 256, 0, stream>>>(
      tensor_map(b),
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      m, n, k);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
