// Stands in for TVM-FFI's header of this name: see error.h.
#ifndef TVM_FFI_TVM_FFI_H_
#define TVM_FFI_TVM_FFI_H_

#include <tvm/ffi/container/tensor.h>

#endif  // TVM_FFI_TVM_FFI_H_
