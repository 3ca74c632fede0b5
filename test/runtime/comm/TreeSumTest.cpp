#include "runtime/comm/TreeSum.h"
#include "runtime/comm/SegmentedVector.h"
#include "runtime/trainer/GradientTree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace boostrt;

namespace {

std::vector<std::vector<float>> randomPieces(uint32_t count, size_t size) {
  std::mt19937 random(count);
  std::vector<std::vector<float>> pieces(count, std::vector<float>(size));
  for (auto &piece : pieces)
    for (float &value : piece)
      value = std::ldexp(float(random() % 2001) - 1000, int(random() % 24));
  return pieces;
}

/// As the micro-batches of one rank are added.
std::vector<float> windowSum(std::vector<std::vector<float>> pieces) {
  GradientTree tree(uint32_t(pieces.size()));
  std::vector<std::vector<float>> sets(pieces.size());
  auto combine = [&](int into, int from) {
    for (size_t i = 0; i < sets[into].size(); ++i)
      sets[into][i] += sets[from][i];
    return Status();
  };
  for (auto &piece : pieces) {
    sets[tree.nextSlot()] = piece;
    EXPECT_TRUE(tree.add(combine).ok());
  }
  EXPECT_TRUE(tree.finish(combine).ok());
  return sets[0];
}

template <typename T>
bool sameBits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(T)));
}

TEST(TreeSum, IsTheSumOfAWindow) {
  for (uint32_t count = 1; count <= 33; ++count) {
    auto pieces = randomPieces(count, 1337);
    std::vector<float> expected = windowSum(pieces);
    std::vector<const void *> addresses;
    for (auto &piece : pieces)
      addresses.push_back(piece.data());
    std::vector<float> sum(1337);
    treeSum<float>(addresses, sum.size(), sum.data());
    EXPECT_TRUE(sameBits(sum, expected)) << count;
    // Over any of the pieces.
    for (uint32_t into = 0; into < count; ++into) {
      auto copies = pieces;
      for (uint32_t i = 0; i < count; ++i)
        addresses[i] = copies[i].data();
      treeSum<float>(addresses, sum.size(), copies[into].data());
      EXPECT_TRUE(sameBits(copies[into], expected)) << into << " of " << count;
    }
  }
}

// The test data must be able to tell an order of addition.
TEST(TreeSum, DiffersFromTheSumInOrder) {
  auto pieces = randomPieces(8, 1337);
  std::vector<float> inOrder = pieces[0];
  for (uint32_t piece = 1; piece < 8; ++piece)
    for (size_t i = 0; i < inOrder.size(); ++i)
      inOrder[i] += pieces[piece][i];
  EXPECT_FALSE(sameBits(inOrder, windowSum(pieces)));
}

TEST(SegmentedVector, CutsARangeIntoMessages) {
  constexpr size_t shortSize = 100, longSize = 600000; // 2.4 MB
  std::vector<float> memory(4 * shortSize + longSize);
  std::vector<std::span<float>> parts;
  size_t begin = 0;
  for (size_t size :
       {shortSize, shortSize, longSize, shortSize, size_t(0), shortSize}) {
    parts.push_back(std::span(memory).subspan(begin, size));
    begin += size;
  }
  SegmentedVector<float> vector(parts);
  ASSERT_EQ(vector.size(), memory.size());
  size_t end = 50, copied = 0, inPlace = 0;
  vector.forEachMessage({50, memory.size()}, [&](Range range, float *data) {
    EXPECT_EQ(range.begin, end); // all, in order
    EXPECT_GT(range.size(), 0u);
    EXPECT_LE(range.size() * sizeof(float), kMaxMessageBytes);
    EXPECT_EQ(data, vector.inPlace(range));
    if (data) {
      EXPECT_EQ(data, &memory[range.begin]);
    }
    ++(data ? inPlace : copied);
    end = range.end;
  });
  EXPECT_EQ(end, memory.size());
  EXPECT_EQ(copied, 2u);  // two short ones before the long one, two after it
  EXPECT_EQ(inPlace, 3u); // 1 MB, 1 MB, the rest
}

TEST(SegmentedVector, ARangeLiesInSeveralParts) {
  std::vector<float> a = {1, 2, 3}, b = {4}, c = {5, 6, 7};
  std::vector<std::span<float>> parts = {a, {}, b, c};
  SegmentedVector<float> vector(parts);
  std::vector<float> found;
  vector.forEachPiece({2, 6}, [&](size_t begin, std::span<float> piece) {
    EXPECT_EQ(begin, 2 + found.size());
    found.insert(found.end(), piece.begin(), piece.end());
  });
  EXPECT_EQ(found, (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(vector.inPlace({3, 4}), b.data());
  EXPECT_EQ(vector.inPlace({2, 4}), nullptr);
}

} // namespace
