#include "runtime/data/Sampler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace boostrt {
namespace {

std::vector<int64_t> order(const Sampler &sampler, int64_t epoch) {
  std::vector<int64_t> order(sampler.size());
  for (int64_t i = 0; i < sampler.size(); ++i)
    order[i] = sampler.at(epoch, i);
  return order;
}

void expectPermutation(std::vector<int64_t> order) {
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i)
    ASSERT_EQ(order[i], static_cast<int64_t>(i)) << "of " << order.size();
}

TEST(Sampler, VisitsEverySampleOnce) {
  for (int64_t n = 1; n <= 300; ++n)
    expectPermutation(order(Sampler(n, 42, true), n % 7));
  for (int64_t n : {4096, 4097, 60000, 65536, 65537})
    expectPermutation(order(Sampler(n, 1, true), 3));
}

TEST(Sampler, OrderOfNothing) { EXPECT_EQ(Sampler(0, 1, true).size(), 0); }

TEST(Sampler, WithoutShufflingIsTheIdentity) {
  Sampler sampler(1000, 5, false);
  for (int64_t epoch : {0, 1, 9})
    for (int64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(sampler.at(epoch, i), i);
}

TEST(Sampler, LargeSetsStayInRange) {
  Sampler sampler(int64_t{1} << 40, 5, true);
  EXPECT_NE(sampler.at(0, 1) - sampler.at(0, 0), 1) << "not shuffled";
  for (int64_t i = 0; i < 100; ++i) {
    int64_t at = sampler.at(0, (int64_t{1} << 40) - 1 - i);
    EXPECT_GE(at, 0);
    EXPECT_LT(at, int64_t{1} << 40);
  }
}

// Two random orders of n agree in one place on average; ten is far outside.
TEST(Sampler, EpochsAndSeedsDiffer) {
  auto agreements = [](const std::vector<int64_t> &a,
                       const std::vector<int64_t> &b) {
    int64_t count = 0;
    for (size_t i = 0; i < a.size(); ++i)
      count += a[i] == b[i];
    return count;
  };
  Sampler sampler(60000, 1, true);
  std::vector<int64_t> first = order(sampler, 0);
  EXPECT_EQ(first, order(Sampler(60000, 1, true), 0));
  EXPECT_LT(agreements(first, order(sampler, 1)), 10);
  EXPECT_LT(agreements(first, order(Sampler(60000, 2, true), 0)), 10);
  EXPECT_LT(agreements(first, order(Sampler(60000, 1, false), 0)), 10);
  // Seeds and epochs must not be interchangeable.
  EXPECT_LT(agreements(order(Sampler(60000, 1, true), 2),
                       order(Sampler(60000, 2, true), 1)),
            10);
}

// Pins the order: a change would break resuming a run of an earlier version.
TEST(Sampler, OrderIsFixed) {
  Sampler sampler(60000, 1, true);
  std::vector<int64_t> start;
  for (int64_t i = 0; i < 6; ++i)
    start.push_back(sampler.at(1, i));
  EXPECT_EQ(start,
            (std::vector<int64_t>{39936, 23607, 37567, 28261, 15654, 21926}));
}

double chiSquare(const std::vector<int64_t> &counts, double expected) {
  double sum = 0;
  for (int64_t count : counts)
    sum += (static_cast<double>(count) - expected) *
           (static_cast<double>(count) - expected) / expected;
  return sum;
}

// Where sample 0..9 land, in tenths of the order, over many epochs: 90 degrees
// of freedom, of which 99.99 % lie below 147.
TEST(Sampler, PlacesAreUniform) {
  for (int64_t n : {10, 50, 1000}) {
    Sampler sampler(n, 3, true);
    constexpr int64_t kEpochs = 5000;
    std::vector<int64_t> counts(100);
    for (int64_t epoch = 0; epoch < kEpochs; ++epoch)
      for (int64_t i = 0; i < 10; ++i)
        ++counts[i * 10 + sampler.at(epoch, i) * 10 / n];
    EXPECT_LT(chiSquare(counts, kEpochs / 10.0), 147) << n;
  }
}

// All 24 orders of four samples: 23 degrees of freedom, 99.99 % below 58.
TEST(Sampler, EveryOrderOfATinySetOccurs) {
  Sampler sampler(4, 11, true);
  std::vector<int64_t> counts(256), seen;
  constexpr int64_t kEpochs = 24000;
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    int64_t code = 0;
    for (int64_t i = 0; i < 4; ++i)
      code = code * 4 + sampler.at(epoch, i);
    ++counts[code];
  }
  std::copy_if(counts.begin(), counts.end(), std::back_inserter(seen),
               [](int64_t count) { return count > 0; });
  ASSERT_EQ(seen.size(), 24u);
  EXPECT_LT(chiSquare(seen, kEpochs / 24.0), 58);
}

// Neighbours in the order are not neighbours in the set: the ratio of steps
// upwards is a half, and steps are as long as those of random pairs (n / 3).
TEST(Sampler, NeighboursAreUnrelated) {
  Sampler sampler(60000, 8, true);
  std::vector<int64_t> sequence = order(sampler, 5);
  double upwards = 0, length = 0;
  for (size_t i = 1; i < sequence.size(); ++i) {
    upwards += sequence[i] > sequence[i - 1];
    length += static_cast<double>(std::abs(sequence[i] - sequence[i - 1]));
  }
  EXPECT_NEAR(upwards / 60000, 0.5, 0.01);
  EXPECT_NEAR(length / 60000 / 60000, 1.0 / 3, 0.01);
}

} // namespace
} // namespace boostrt
