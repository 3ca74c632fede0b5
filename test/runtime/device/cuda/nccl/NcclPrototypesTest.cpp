// What NcclApi.h says of NCCL, against nccl.h. The compiler does the work.
#include "runtime/device/cuda/nccl/NcclApi.h"

#include <cuda.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include "test/runtime/device/cuda/SamePrototype.h"

#include <cstddef>

namespace boostrt::cuda {

template <>
constexpr bool kSameHandle<nccl::CommunicatorHandle, ncclComm> = true;
// Passed by value: as large, and of characters alone.
template <>
constexpr bool kSameHandle<nccl::UniqueId, ncclUniqueId> =
    sizeof(nccl::UniqueId) == sizeof(ncclUniqueId) &&
    alignof(nccl::UniqueId) == alignof(ncclUniqueId);
template <> constexpr bool kSameHandle<nccl::Config, ncclConfig_t> = true;

} // namespace boostrt::cuda

using namespace boostrt;

namespace {

#define BOOSTRT_SAME_FUNCTION(result, symbol, ...)                             \
  static_assert(cuda::SameFunction<decltype(nccl::NcclApi::symbol),            \
                                   decltype(&::symbol)>(),                     \
                #symbol " is another function in nccl.h");
BOOSTRT_NCCL_FUNCTIONS(BOOSTRT_SAME_FUNCTION)

static_assert(offsetof(nccl::Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(nccl::Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(nccl::Config, version) ==
              offsetof(ncclConfig_t, version));
static_assert(offsetof(nccl::Config, blocking) ==
              offsetof(ncclConfig_t, blocking));

TEST(NcclPrototypes, ValuesAreThoseOfTheHeader) {
  EXPECT_EQ(nccl::kSuccess, ncclSuccess);
  EXPECT_EQ(nccl::kInProgress, ncclInProgress);
  EXPECT_EQ(nccl::kBytes, ncclInt8);
  ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  nccl::Config ours;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_EQ(ours.version, unsigned{NCCL_VERSION(2, 14, 0)});
  EXPECT_LE(ours.version, theirs.version);
  EXPECT_LE(ours.size, theirs.size);
}

} // namespace
