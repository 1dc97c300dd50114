// Moves A through shared memory into the first K columns of C[M,N] by TMA, and multiplies
// nothing: the memory side of a good kernel without its arithmetic.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

constexpr int TILE = 64;

__global__ void tma_copy(const __grid_constant__ CUtensorMap from,
                         const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) __nv_bfloat16 tile[TILE * TILE];
  __shared__ alignas(8) uint64_t arrived;
  const auto barrier = static_cast<uint32_t>(__cvta_generic_to_shared(&arrived));
  const auto buffer = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
  const int column = blockIdx.x * TILE, row = blockIdx.y * TILE;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
               "n"(sizeof tile)
               : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(buffer),
      "l"(&from), "r"(column), "r"(row), "r"(barrier)
      : "memory");
  asm volatile(
      "{ .reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again; }" ::"r"(barrier)
      : "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                   &to),
               "r"(column), "r"(row), "r"(buffer)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
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
  const int m = a.size(0), k = a.size(1);
  const DLDevice device = a.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  tma_copy<<<dim3(k / TILE, (m + TILE - 1) / TILE), 1, 0, stream>>>(tensor_map(a), tensor_map(c));
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
