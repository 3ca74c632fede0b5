// Memory for many small pieces.

#include "runtime/support/OwnedBytes.h"

#include <gtest/gtest.h>

namespace boostrt {
namespace {

TEST(OwnedBytes, AreWritable) {
  constexpr uint64_t kHugePage = 2 << 20;
  for (uint64_t count :
       {uint64_t{1}, kHugePage - 1, kHugePage, 3 * kHugePage + 5}) {
    OwnedBytes bytes = allocateBytes(count);
    ASSERT_NE(bytes, nullptr);
    bytes[0] = 1;
    bytes[count - 1] = 2;
    // A huge page begins where its address says.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.get()) %
                  (count < kHugePage ? 64 : kHugePage),
              0u);
  }
  EXPECT_NE(allocateBytes(0), nullptr);
}

TEST(OwnedBytes, MayBeTooMany) {
  EXPECT_EQ(allocateBytes(uint64_t{1} << 62), nullptr);
}

} // namespace
} // namespace boostrt
