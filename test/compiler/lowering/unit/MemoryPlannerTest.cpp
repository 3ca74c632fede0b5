// Plans of random lifetimes: no overlap, nothing below the bound, nothing above
// what giving every buffer a place of its own would take, the same plan every
// time.
#include "compiler/lowering/buffers/MemoryPlanner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace boostc;

namespace {

constexpr int64_t kAlignment = 64;

int64_t roundUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<LiveBuffer> drawBuffers(uint32_t seed) {
  std::mt19937 random(seed);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::vector<LiveBuffer> buffers(draw(1, 60));
  for (LiveBuffer &buffer : buffers) {
    // Sizes over many magnitudes, equal ones and empty ones among them.
    buffer.bytes = draw(0, 9) == 0 ? 0 : draw(1, int64_t{1} << draw(1, 20));
    if (draw(0, 4) == 0)
      buffer.bytes = 4096;
    buffer.first = draw(0, 40);
    buffer.last = buffer.first + draw(0, draw(0, 40));
  }
  return buffers;
}

bool meet(const LiveBuffer &a, const LiveBuffer &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Empty when the plan is sound.
std::string findFault(llvm::ArrayRef<LiveBuffer> buffers, int64_t arena) {
  int64_t end = 0, apart = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const LiveBuffer &a = buffers[i];
    if (a.offset < 0 || a.offset % kAlignment != 0)
      return "offset " + std::to_string(a.offset);
    end = std::max(end, a.offset + roundUp(a.bytes));
    apart += roundUp(a.bytes);
    for (size_t j = 0; j < i; ++j) {
      const LiveBuffer &b = buffers[j];
      if (meet(a, b) && a.offset < b.offset + b.bytes &&
          b.offset < a.offset + a.bytes)
        return "buffers " + std::to_string(j) + " and " + std::to_string(i) +
               " overlap";
    }
  }
  if (end != arena)
    return "ends at " + std::to_string(end) + ", not " + std::to_string(arena);
  if (arena < getLivenessBound(buffers, kAlignment))
    return "below the bound";
  if (arena > apart)
    return "larger than without sharing";
  return "";
}

TEST(MemoryPlanner, RandomPlansAreSound) {
  int64_t used = 0, needed = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::vector<LiveBuffer> buffers = drawBuffers(seed);
    int64_t arena = planOffsets(buffers, kAlignment);
    ASSERT_EQ(findFault(buffers, arena), "") << "seed " << seed;
    used += arena;
    needed += getLivenessBound(buffers, kAlignment);
  }
  // No promise for a single plan; a regression of the heuristic would show
  // here.
  EXPECT_LT(static_cast<double>(used), 1.1 * static_cast<double>(needed));
}

TEST(MemoryPlanner, PlansAreDeterministic) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::vector<LiveBuffer> first = drawBuffers(seed), second = first;
    // What an earlier plan left in the offsets does not matter.
    for (LiveBuffer &buffer : second)
      buffer.offset = -1;
    ASSERT_EQ(planOffsets(first, kAlignment), planOffsets(second, kAlignment));
    for (size_t i = 0; i < first.size(); ++i)
      ASSERT_EQ(first[i].offset, second[i].offset) << "seed " << seed;
  }
}

TEST(MemoryPlanner, BoundIsTheFullestPosition) {
  // 100 bytes take two lines of 64.
  std::vector<LiveBuffer> buffers = {
      {100, 0, 2}, {64, 2, 4}, {1, 4, 5}, {640, 6, 6}};
  EXPECT_EQ(getLivenessBound(buffers, kAlignment), 640);
  buffers.pop_back();
  EXPECT_EQ(getLivenessBound(buffers, kAlignment), 192);
  EXPECT_EQ(getLivenessBound({}, kAlignment), 0);
}

TEST(MemoryPlanner, NeighboursInTimeShareMemory) {
  std::vector<LiveBuffer> buffers = {{64, 0, 1}, {64, 2, 3}, {64, 4, 5}};
  EXPECT_EQ(planOffsets(buffers, kAlignment), 64);
  // One position in common is enough to keep them apart.
  buffers[1].first = 1;
  EXPECT_EQ(planOffsets(buffers, kAlignment), 128);
  EXPECT_EQ(planOffsets({}, kAlignment), 0);
}

TEST(MemoryPlanner, BuffersMayAskForMoreThanTheOthers) {
  std::vector<LiveBuffer> buffers = {{320, 0, 9}, {320, 0, 9}, {64, 0, 9}};
  buffers[0].alignment = buffers[1].alignment = 256;
  // The gap between the two is for the small one.
  EXPECT_EQ(planOffsets(buffers, kAlignment), 512 + 320);
  EXPECT_EQ(buffers[0].offset + buffers[1].offset, 512);
  EXPECT_EQ(buffers[2].offset, 320);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::vector<LiveBuffer> drawn = drawBuffers(seed);
    for (size_t i = 0; i < drawn.size(); i += 3)
      drawn[i].alignment = 256;
    int64_t arena = planOffsets(drawn, kAlignment);
    ASSERT_EQ(findFault(drawn, arena), "") << "seed " << seed;
    for (size_t i = 0; i < drawn.size(); i += 3)
      ASSERT_EQ(drawn[i].offset % 256, 0) << "seed " << seed;
  }
}

TEST(MemoryPlanner, FillsGapsBetweenOthers) {
  // The large ones leave a hole where the middle one was; the small one fits
  // into it.
  std::vector<LiveBuffer> buffers = {
      {1024, 0, 9}, {512, 0, 4}, {256, 0, 9}, {128, 5, 9}};
  EXPECT_EQ(planOffsets(buffers, kAlignment), 1024 + 512 + 256);
  EXPECT_EQ(buffers[3].offset, 1024);
}

} // namespace
