// Stands in for TVM-FFI's header of this name: see error.h.
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/error.h>

namespace tvm {
namespace ffi {
namespace detail {

template <typename T>
inline constexpr bool is_converted = std::is_same_v<T, bool> || std::is_same_v<T, int32_t> ||
                                     std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
                                     std::is_same_v<T, double>;

// The real header's rule: `T`, `const T`, `const T&` and `T&&`.
template <typename T>
inline constexpr bool is_passed =
    (!std::is_reference_v<T>) ||
    (std::is_const_v<std::remove_reference_t<T>> && std::is_lvalue_reference_v<T>) ||
    (!std::is_const_v<std::remove_reference_t<T>> && std::is_rvalue_reference_v<T>);

template <typename F>
struct FunctionInfo;

template <typename R, typename... Args>
struct FunctionInfo<R (*)(Args...)> {
  static constexpr bool exported =
      (std::is_void_v<R> || is_converted<R>) &&
      ((is_passed<Args> && is_converted<std::remove_const_t<std::remove_reference_t<Args>>>) && ...);
};

template <typename F>
int call_unpacked(const char* name, const F& function, const TVMFFIAny* args, int32_t num_args,
                  TVMFFIAny* result);

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

// The real macro's local names, so that a function of such a name fails here as it does there.
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, Function)                                     \
  extern "C" {                                                                                  \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void* self, const TVMFFIAny* args,              \
                                                int32_t num_args, TVMFFIAny* result) {          \
    using FuncInfo = ::tvm::ffi::detail::FunctionInfo<std::decay_t<decltype(Function)>>;        \
    static const char* name = #ExportName;                                                      \
    static_assert(FuncInfo::exported, "not a signature that the stand-in header knows");        \
    return ::tvm::ffi::detail::call_unpacked<std::decay_t<decltype(Function)>>(name, Function,  \
                                                                               args, num_args,  \
                                                                               result);         \
  }                                                                                             \
  }

#endif  // TVM_FFI_FUNCTION_H_
