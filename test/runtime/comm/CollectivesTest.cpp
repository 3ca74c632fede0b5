// Every collective over every transport, bit for bit against plain loops.
#include "runtime/comm/Collectives.h"
#include "test/runtime/comm/Contributions.h"
#include "test/runtime/device/cuda/nccl/NcclRanks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

using namespace boostrt;
using namespace boostrt::test;

namespace {

constexpr uint32_t rankCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16};

/// For collectives whose way does not depend on the number of ranks.
constexpr uint32_t fewRankCounts[] = {1, 2, 3, 5, 8, 16};

class Collectives : public ::testing::TestWithParam<TransportKind> {};

INSTANTIATE_TEST_SUITE_P(Over, Collectives,
                         ::testing::ValuesIn(allTransportKinds()),
                         [](const auto &info) { return kindName(info.param); });

struct Case {
  size_t size;
  AllReduceAlgorithm algorithm = AllReduceAlgorithm::Auto;
};

/// All cases one after the other on the same connections.
void checkAllReduce(const TransportKind &kind, uint32_t ranks,
                    const std::vector<Case> &cases) {
  SCOPED_TRACE(::testing::Message() << ranks << " ranks");
  std::vector<std::vector<float>> expected;
  for (const Case &test : cases)
    expected.push_back(definition(0, ranks, test.size));
  expectRanks(kind, ranks, [&](Transport &transport) {
    Group group(transport);
    Workspace workspace;
    for (size_t i = 0; i < cases.size(); ++i) {
      size_t size = cases[i].size;
      Traffic before = transport.traffic();
      std::vector<float> values = contribution(transport.rank(), size);
      BOOSTRT_RETURN_IF_ERROR(
          allReduceSum(group, values, workspace, cases[i].algorithm));
      EXPECT_TRUE(sameBits(values, expected[i]))
          << "rank " << transport.rank() << ", size " << size;
      // Twice what the slices of the others have; slices differ by one element
      // at each halving.
      double bytes = 2.0 * (ranks - 1) * double(size) * sizeof(float) / ranks;
      Traffic after = transport.traffic();
      double sent = double(after.sentBytes - before.sentBytes);
      double received = double(after.receivedBytes - before.receivedBytes);
      EXPECT_NEAR(sent, bytes, 2 * 4 * ranks);
      if (size % ranks == 0) {
        EXPECT_EQ(sent, bytes);
        EXPECT_EQ(received, bytes);
      }
    }
    return Status();
  });
}

TEST_P(Collectives, AllReduceIsTheTreeSum) {
  for (uint32_t ranks : rankCounts)
    checkAllReduce(GetParam(), ranks, {{0}, {1}, {2}, {7}, {96}, {1009}});
}

TEST_P(Collectives, DirectAllReduceHasTheBitsOfHalving) {
  std::vector<Case> cases;
  for (auto algorithm :
       {AllReduceAlgorithm::Direct, AllReduceAlgorithm::Halving})
    for (size_t size : {1, 7, 96, 1009, 70001})
      cases.push_back({size, algorithm});
  for (uint32_t ranks : {2, 4, 8, 16})
    checkAllReduce(GetParam(), ranks, cases);
}

TEST_P(Collectives, AllReduceOfSeveralBlocksAndMessages) {
  // More than one block, and several messages of 1 MB in each.
  checkAllReduce(GetParam(), 2,
                 {{4300011, AllReduceAlgorithm::Halving},
                  {4300011, AllReduceAlgorithm::Direct}});
  checkAllReduce(GetParam(), 3, {{4300011}});
  checkAllReduce(GetParam(), 4,
                 {{800000, AllReduceAlgorithm::Halving},
                  {800000, AllReduceAlgorithm::Direct}});
}

TEST_P(Collectives, AllReduceOfAListIsThatOfOneVector) {
  const std::vector<size_t> sizes = {3, 0, 120000, 10, 1, 500, 40000, 7};
  size_t total = 0;
  for (size_t size : sizes)
    total += size;
  for (uint32_t ranks : {1, 2, 3, 4, 5, 8})
    for (bool isDirect : {false, true}) {
      if (!isDirect && !std::has_single_bit(ranks))
        continue;
      auto algorithm =
          isDirect ? AllReduceAlgorithm::Direct : AllReduceAlgorithm::Halving;
      std::vector<float> expected = definition(0, ranks, total);
      expectRanks(GetParam(), ranks, [&](Transport &transport) {
        Group group(transport);
        Workspace workspace;
        // Each in memory of its own.
        std::vector<float> values = contribution(transport.rank(), total);
        std::vector<std::vector<float>> owned;
        std::vector<std::span<float>> parts;
        size_t begin = 0;
        for (size_t size : sizes) {
          owned.emplace_back(&values[begin], &values[begin] + size);
          begin += size;
        }
        for (auto &part : owned)
          parts.push_back(part);
        BOOSTRT_RETURN_IF_ERROR(
            allReduceSum(group, std::span<const std::span<float>>(parts),
                         workspace, algorithm));
        std::vector<float> result;
        for (auto &part : owned)
          result.insert(result.end(), part.begin(), part.end());
        EXPECT_TRUE(sameBits(result, expected));
        return Status();
      });
    }
}

TEST_P(Collectives, AllReduceOfIntegers) {
  for (uint32_t ranks : {1, 2, 3, 8})
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      Workspace workspace;
      // Beyond what a double holds exactly.
      int64_t n = ranks, ids = n * (n - 1) / 2, large = int64_t(1) << 58;
      std::vector<int64_t> values = {large + transport.rank(),
                                     -int64_t(transport.rank()), 1};
      BOOSTRT_RETURN_IF_ERROR(
          allReduceSum(group, std::span(values), workspace));
      EXPECT_EQ(values, (std::vector<int64_t>{n * large + ids, -ids, n}));
      return Status();
    });
}

// A rank without samples brings -0.0: the sum has the bits it has without it.
TEST_P(Collectives, AnAbsentContributionChangesNoBit) {
  const std::vector<float> values = {0.0f,   -0.0f, 1.0f,     -1.5f,
                                     1e-45f, 3e38f, INFINITY, -INFINITY};
  for (uint32_t ranks : {2, 3, 4, 6})
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      Workspace workspace;
      for (uint32_t present = 0; present < ranks; ++present) {
        std::vector<float> mine(values.size(), -0.0f);
        if (transport.rank() == present)
          mine = values;
        BOOSTRT_RETURN_IF_ERROR(
            allReduceSum(group, std::span(mine), workspace));
        EXPECT_TRUE(sameBits(mine, values));
      }
      return Status();
    });
  // +0.0 would not do.
  EXPECT_FALSE(std::signbit(-0.0f + 0.0f));
}

TEST_P(Collectives, AllReduceOfSpecialValues) {
  expectRanks(GetParam(), 4, [&](Transport &transport) {
    Group group(transport);
    Workspace workspace;
    bool isFirst = transport.rank() == 0;
    std::vector<float> values = {isFirst ? NAN : 1.0f,
                                 isFirst ? INFINITY : 1.0f,
                                 isFirst ? INFINITY : -INFINITY,
                                 transport.rank() < 2 ? 3e38f : -3e38f, 1e-45f};
    BOOSTRT_RETURN_IF_ERROR(allReduceSum(group, std::span(values), workspace));
    EXPECT_TRUE(std::isnan(values[0]));
    EXPECT_EQ(values[1], INFINITY);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_TRUE(std::isnan(values[3])); // the halves overflow: a tree's order
    EXPECT_EQ(values[4], 4 * 1e-45f);   // no flushing to zero
    return Status();
  });
}

TEST_P(Collectives, NothingIsAllocatedTwice) {
  expectRanks(GetParam(), 4, [&](Transport &transport) {
    Group group(transport);
    Workspace workspace;
    std::vector<float> values(300000);
    size_t reserved = allReduceScratchBytes(4, values.size());
    std::byte *memory = workspace.reserve(reserved);
    for (int step = 0; step < 3; ++step)
      BOOSTRT_RETURN_IF_ERROR(
          allReduceSum(group, std::span(values), workspace));
    EXPECT_EQ(workspace.reserve(reserved), memory);
    return Status();
  });
}

TEST_P(Collectives, AllGatherWithUnequalSlices) {
  for (uint32_t ranks : fewRankCounts)
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      Workspace workspace;
      std::vector<size_t> ends;
      std::vector<std::byte> expected;
      for (uint32_t m = 0; m < ranks; ++m) { // m bytes of value m
        expected.resize(expected.size() + m, std::byte(m));
        ends.push_back(expected.size());
      }
      std::vector<std::byte> all(expected.size(), std::byte(255));
      uint32_t self = transport.rank();
      for (uint32_t i = 0; i < self; ++i)
        all[ends[self] - 1 - i] = std::byte(self);
      BOOSTRT_RETURN_IF_ERROR(allGather(group, all, ends, workspace));
      EXPECT_EQ(all, expected);
      EXPECT_EQ(transport.traffic().sentBytes, self * (ranks - 1));

      std::vector<uint64_t> values(ranks);
      BOOSTRT_RETURN_IF_ERROR(allGatherValue(group, uint64_t(self) * self,
                                             std::span(values), workspace));
      for (uint64_t m = 0; m < ranks; ++m)
        EXPECT_EQ(values[m], m * m);
      return Status();
    });
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  for (uint32_t ranks : fewRankCounts)
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      Workspace workspace;
      for (uint32_t root = 0; root < ranks; ++root) {
        std::vector<std::byte> data(1000, std::byte(transport.rank()));
        BOOSTRT_RETURN_IF_ERROR(broadcast(group, root, data, workspace));
        EXPECT_EQ(data, std::vector<std::byte>(1000, std::byte(root)));
      }
      return Status();
    });
}

TEST_P(Collectives, NoRankLeavesABarrierBeforeAllHaveComeToIt) {
  for (uint32_t ranks : fewRankCounts) {
    std::atomic<uint32_t> arrived = 0;
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      Group group(transport);
      for (uint32_t round = 1; round <= 2; ++round) {
        ++arrived;
        BOOSTRT_RETURN_IF_ERROR(barrier(group));
        EXPECT_GE(arrived, round * ranks);
        // Before anybody counts the next round.
        BOOSTRT_RETURN_IF_ERROR(barrier(group));
      }
      return Status();
    });
  }
}

// Servers of a job: disjoint groups at the same time, then groups across them.
TEST_P(Collectives, GroupsWorkSideBySide) {
  expectRanks(GetParam(), 6, [&](Transport &transport) {
    uint32_t self = transport.rank(), server = self / 3;
    Workspace workspace;
    // Not in the order of their ranks.
    Group inside(transport, {server * 3 + 2, server * 3, server * 3 + 1});
    Group across(transport, {self % 3, self % 3 + 3});
    int64_t value = int64_t(1) << (4 * self);
    BOOSTRT_RETURN_IF_ERROR(
        allReduceSum(inside, std::span(&value, 1), workspace));
    EXPECT_EQ(value, server ? 0x111000 : 0x111);
    BOOSTRT_RETURN_IF_ERROR(
        allReduceSum(across, std::span(&value, 1), workspace));
    EXPECT_EQ(value, 0x111111);
    return Status();
  });
}

TEST(CollectivesOfMany, AllReduceOf256Ranks) {
  const TransportKind &local = transportKinds().front();
  checkAllReduce(local, 256, {{512}, {512, AllReduceAlgorithm::Direct}});
  checkAllReduce(local, 255, {{512}});
}

} // namespace
