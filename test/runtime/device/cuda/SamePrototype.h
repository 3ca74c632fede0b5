// SamePrototype.h - whether a function is passed what NVIDIA's header says. The
// compiler does the work. Include it after that header.
#pragma once

#include "runtime/device/cuda/CublasLtApi.h"

#include <type_traits>

namespace boostrt::cuda {

/// Pairs of our handles' structs and cuda.h's.
template <class Ours, class Theirs> constexpr bool kSameHandle = false;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Context>, CUctx_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Module>, CUmod_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Function>, CUfunc_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Stream>, CUstream_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Event>, CUevent_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<Graph>, CUgraph_st> = true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<GraphExec>, CUgraphExec_st> =
    true;

/// Whether both are passed alike and mean the same. We have numbers where
/// cuda.h has enumerations.
template <class Ours, class Theirs> constexpr bool same() {
  if constexpr (std::is_same_v<Ours, Theirs>) {
    return true;
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using To = std::remove_pointer_t<Ours>;
    using ToTheirs = std::remove_pointer_t<Theirs>;
    return std::is_const_v<To> == std::is_const_v<ToTheirs> &&
           same<std::remove_const_t<To>, std::remove_const_t<ToTheirs>>();
  } else if constexpr (std::is_same_v<Ours, int> && std::is_enum_v<Theirs>) {
    return sizeof(Theirs) == sizeof(int);
  } else {
    return kSameHandle<Ours, Theirs>;
  }
}

template <class Ours, class Theirs> struct SameFunction : std::false_type {};
template <class R, class... A, class R2, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameFunction<R (*)(A...), R2 (*)(B...)>
    : std::bool_constant<same<R, R2>() && (same<A, B>() && ...)> {};

} // namespace boostrt::cuda
