// Stands in for TVM-FFI's header of this name: see error.h.
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#endif  // TVM_FFI_DTYPE_H_
