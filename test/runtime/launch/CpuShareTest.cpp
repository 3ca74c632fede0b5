#include "runtime/launch/CpuShare.h"

#include <gmock/gmock.h>

using namespace boostrt;
using testing::ElementsAre;

namespace {

TEST(CpuShare, EqualRangesInOrder) {
  std::vector<int> cpus{0, 1, 2, 3, 8, 9, 10};
  EXPECT_THAT(cpuShare(cpus, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(cpuShare(cpus, 1, 2), ElementsAre(3, 8, 9, 10));
  EXPECT_EQ(cpuShare(cpus, 0, 1), cpus);
}

TEST(CpuShare, SharesAreDisjointAndComplete) {
  std::vector<int> cpus(61), all;
  for (int i = 0; i < 61; ++i)
    cpus[static_cast<size_t>(i)] = 2 * i;
  for (uint32_t rank = 0; rank < 7; ++rank)
    for (int cpu : cpuShare(cpus, rank, 7))
      all.push_back(cpu);
  EXPECT_EQ(all, cpus);
}

TEST(CpuShare, MoreRanksThanCpus) {
  std::vector<int> cpus{4, 5};
  for (uint32_t rank = 0; rank < 8; ++rank)
    EXPECT_THAT(cpuShare(cpus, rank, 8), ElementsAre(rank < 4 ? 4 : 5));
}

TEST(CpuShare, RanksArePinnedWhereNoneSharesACpu) {
  EXPECT_TRUE(isWorthPinning({4, 5}, 1));
  EXPECT_TRUE(isWorthPinning({4, 5}, 2));
  EXPECT_FALSE(isWorthPinning({4, 5}, 3));
  EXPECT_FALSE(isWorthPinning({}, 1));
}

TEST(CpuShare, TheSystemDoesNotTell) {
  EXPECT_TRUE(cpuShare({}, 0, 2).empty());
}

TEST(CpuShare, ThisProcessMayUseSome) { EXPECT_FALSE(usableCpus().empty()); }

} // namespace
