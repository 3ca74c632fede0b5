// What CudaApi.h says of NVIDIA's driver library, against cuda.h. The compiler
// does the work.
#include "runtime/device/cuda/CudaApi.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

using namespace boostrt;

namespace {

/// Pairs of our handles' structs and cuda.h's.
template <class Ours, class Theirs> constexpr bool kSameHandle = false;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Context>, CUctx_st> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Module>, CUmod_st> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Function>, CUfunc_st> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Stream>, CUstream_st> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Event>, CUevent_st> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<cuda::Graph>, CUgraph_st> =
    true;
template <>
constexpr bool
    kSameHandle<std::remove_pointer_t<cuda::GraphExec>, CUgraphExec_st> = true;

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

#define BOOSTRT_SAME_FUNCTION(symbol, ...)                                     \
  static_assert(                                                               \
      SameFunction<decltype(cuda::CudaApi::symbol), decltype(&::symbol)>(),    \
      #symbol " is another function in cuda.h");
BOOSTRT_CUDA_FUNCTIONS(BOOSTRT_SAME_FUNCTION)

static_assert(std::is_same_v<cuda::Address, CUdeviceptr>);
static_assert(std::is_same_v<cuda::DeviceNumber, CUdevice>);

TEST(CudaPrototypes, ValuesAreThoseOfTheHeader) {
  EXPECT_EQ(cuda::kComputeCapabilityMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(cuda::kComputeCapabilityMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(cuda::kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(cuda::kJitErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(cuda::kStreamNonBlocking, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(cuda::kEventDisableTiming, unsigned{CU_EVENT_DISABLE_TIMING});
  EXPECT_EQ(cuda::kCaptureModeThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(cuda::kErrorNoDevice, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(CUDA_SUCCESS, 0);
}

} // namespace
