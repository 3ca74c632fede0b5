#include "runtime/profile/MachinePeaks.h"

#include <gtest/gtest.h>

using namespace boostrt;

namespace {

TEST(MachinePeaks, AKernelTakesAsLongAsItsSlowerHalf) {
  MachinePeaks peaks;
  peaks.flops = 100e9;
  peaks.bytes = 10e9;
  EXPECT_DOUBLE_EQ(peaks.leastSeconds(200'000'000'000, 1'000'000'000), 2);
  EXPECT_DOUBLE_EQ(peaks.leastSeconds(1'000'000'000, 50'000'000'000), 5);
  EXPECT_EQ(peaks.leastSeconds(0, 0), 0);
  EXPECT_EQ(MachinePeaks().leastSeconds(1000, 1000), 0) << "nothing is known";
}

TEST(MachinePeaks, MemoryIsMeasuredWhereThereIsEnoughOfIt) {
  MachinePeaks peaks = measurePeaks(1, uint64_t{95} << 20);
  EXPECT_EQ(peaks.bytes, 0);
  EXPECT_EQ(peaks.triadBytes, 0u);
}

TEST(MachinePeaks, AreMeasured) {
  MachinePeaks peaks = measurePeaks(2, uint64_t{1} << 30);
  EXPECT_EQ(peaks.threads, 2u);
  // Fewer than one multiply-add a cycle of a slow core, or less than a disk
  // reads, was not a measurement; nor is what no machine has.
  EXPECT_GT(peaks.flops, 1e9);
  EXPECT_LT(peaks.flops, 1e14);
  EXPECT_GT(peaks.bytes, 1e8);
  EXPECT_LT(peaks.bytes, 1e13);
  EXPECT_TRUE(peaks.vectors == "AVX2" || peaks.vectors == "AVX-512")
      << peaks.vectors;
  EXPECT_GT(peaks.triadBytes, 0u);
}

} // namespace
