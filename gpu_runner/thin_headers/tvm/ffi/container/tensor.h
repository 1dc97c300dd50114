// Stands in for TVM-FFI's header of this name: see ../error.h.
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/dtype.h>

namespace tvm {
namespace ffi {

class ShapeView {
 public:
  ShapeView(const ShapeView&) = default;
  ShapeView& operator=(const ShapeView&) = default;
  const int64_t* data() const;
  size_t size() const;
  int64_t Product() const;
  int64_t operator[](size_t idx) const;
  const int64_t* begin() const;
  const int64_t* end() const;
  bool empty() const;
  int64_t front() const;
  int64_t back() const;
  int64_t at(size_t idx) const;

 private:
  TVMFFIShapeCell cell_;
};

class TensorView {
 public:
  TensorView(const DLTensor* tensor);
  TensorView(const TensorView&) = default;
  TensorView& operator=(const TensorView&) = default;
  void* data_ptr() const;
  DLDevice device() const;
  int32_t ndim() const;
  DLDataType dtype() const;
  ShapeView shape() const;
  int64_t numel() const;
  ShapeView strides() const;
  int64_t size(int64_t idx) const;
  int64_t stride(int64_t idx) const;
  uint64_t byte_offset() const;
  bool IsContiguous() const;
  int32_t dim() const;
  ShapeView sizes() const;
  bool is_contiguous() const;

 private:
  DLTensor tensor_;
};

class Tensor {
 public:
  Tensor(const Tensor&);
  Tensor& operator=(const Tensor&);
  void* data_ptr() const;
  DLDevice device() const;
  int32_t ndim() const;
  DLDataType dtype() const;
  ShapeView shape() const;
  int64_t numel() const;
  ShapeView strides() const;
  int64_t size(int64_t idx) const;
  int64_t stride(int64_t idx) const;
  uint64_t byte_offset() const;
  bool IsContiguous() const;

 private:
  void* data_;
};

namespace detail {

template <>
inline constexpr bool is_converted<TensorView> = true;
template <>
inline constexpr bool is_converted<Tensor> = true;
template <>
inline constexpr bool is_converted<DLTensor*> = true;

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_H_
