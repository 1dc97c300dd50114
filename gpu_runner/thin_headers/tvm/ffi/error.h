// Stands in for TVM-FFI's header of this name while a kernel is checked without a GPU.
//
// The real one takes three parsers 3 seconds. This one declares the part that kernels
// use, and never more: what it accepts, the real one accepts. What it lacks is a compile
// error here, and then the build is done again with the real headers (static_build.py).
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>

// The C headers that the real one brings, so that the same global names are taken.
#include <libintl.h>
#include <pthread.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <cwctype>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

template <typename T>
inline constexpr bool is_printed_as_number =
    std::is_arithmetic_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, int>);

class Message {
 public:
  Message& operator<<(const char* text);
  template <typename T, typename = std::enable_if_t<is_printed_as_number<T>>>
  Message& operator<<(const T& value);
};

class ErrorBuilder {
 public:
  explicit ErrorBuilder(const char* kind, const TVMFFIByteArray* backtrace, bool log_before_throw);
  [[noreturn]] ~ErrorBuilder() noexcept(false);
  Message& stream();
};

class Difference {
 public:
  explicit operator bool() const;
  const char* operator*() const;
};

#define TVM_FFI_CHECK_FUNC(name, op)                                                    \
  template <typename X, typename Y,                                                     \
            typename = std::enable_if_t<is_printed_as_number<X> && is_printed_as_number<Y>>> \
  Difference LogCheck##name(const X& x, const Y& y);                                    \
  Difference LogCheck##name(int x, int y);

TVM_FFI_CHECK_FUNC(_LT, <)
TVM_FFI_CHECK_FUNC(_GT, >)
TVM_FFI_CHECK_FUNC(_LE, <=)
TVM_FFI_CHECK_FUNC(_GE, >=)
TVM_FFI_CHECK_FUNC(_EQ, ==)
TVM_FFI_CHECK_FUNC(_NE, !=)

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

#define TVM_FFI_THROW(ErrorKind)                                                             \
  ::tvm::ffi::detail::ErrorBuilder(#ErrorKind,                                               \
                                   TVMFFIBacktrace(__FILE__, __LINE__, TVM_FFI_FUNC_SIG, 0), \
                                   false)                                                    \
      .stream()

#define TVM_FFI_CHECK(cond, ErrorKind) \
  if (TVM_FFI_PREDICT_FALSE(!(cond)))  \
  TVM_FFI_THROW(ErrorKind) << "Check failed: (" #cond << ") is false: "

#define TVM_FFI_CHECK_BINARY_OP(name, op, x, y, ErrorKind)                        \
  if (auto __tvm_ffi_log_err = ::tvm::ffi::detail::LogCheck##name(x, y))          \
  TVM_FFI_THROW(ErrorKind) << "Check failed: " << #x " " #op " " #y               \
                           << *__tvm_ffi_log_err << ": "

#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_LT, <, x, y, ErrorKind)
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_GT, >, x, y, ErrorKind)
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_LE, <=, x, y, ErrorKind)
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_GE, >=, x, y, ErrorKind)
#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_EQ, ==, x, y, ErrorKind)
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(_NE, !=, x, y, ErrorKind)

#define TVM_FFI_ICHECK(x) TVM_FFI_CHECK(x, InternalError)
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_LT(x, y, InternalError)
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_GT(x, y, InternalError)
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_LE(x, y, InternalError)
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_GE(x, y, InternalError)
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_EQ(x, y, InternalError)
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_NE(x, y, InternalError)

#endif  // TVM_FFI_ERROR_H_
