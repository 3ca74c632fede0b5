// What CudaApi.h says of NVIDIA's driver library, against cuda.h. The compiler
// does the work.
#include "runtime/device/cuda/CudaApi.h"

#include <cuda.h>
#include <gtest/gtest.h>

// Drivers before 12.8 have the older name alone, for the same function.
#undef cuEventElapsedTime
extern "C" decltype(cuEventElapsedTime_v2) cuEventElapsedTime;

#include "test/runtime/device/cuda/SamePrototype.h"

using namespace boostrt;

namespace {

#define BOOSTRT_SAME_FUNCTION(symbol, ...)                                     \
  static_assert(cuda::SameFunction<decltype(cuda::CudaApi::symbol),            \
                                   decltype(&::symbol)>(),                     \
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
  EXPECT_EQ(cuda::kErrorNotReady, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(CUDA_SUCCESS, 0);
}

} // namespace
