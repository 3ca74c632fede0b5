// The bits that a sample, a layer and an element own: against values computed
// with integers of any length in Python, and against what independent fair bits
// do. A statistic of n draws may be 5 standard deviations off; each is fixed by
// its seed, so a test passes always or never.
#include "runtime/abi/boost_random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

namespace boostrt {
namespace {

constexpr uint64_t kStream = 0x6cbe10c93e8aabc7; // of "drop1"
constexpr int64_t kDraws = 1000000;

TEST(SampleBits, Mix32KnownAnswers) {
  const uint32_t answers[][2] = {
      {0, 0},
      {1, 0x688990c0},
      {2, 0xd1132181},
      {12345, 0x912efcf7},
      {0x80000000, 0xcc4b4124},
      {0xdeadbeef, 0xe628c683},
      {0xffffffff, 0x6768824a},
  };
  for (auto [x, y] : answers)
    EXPECT_EQ(boost_mix32(x), y) << x;
}

TEST(SampleBits, KeysKnownAnswers) {
  EXPECT_EQ(boost_sample_key(0, 0, 0), 0x550e9499u);
  EXPECT_EQ(boost_sample_key(1, 1, 0), 0xe3908462u);
  EXPECT_EQ(boost_sample_key(1, 1, 1), 0xcf834e88u);
  EXPECT_EQ(boost_sample_key(1, 2, 0), 0x17d4ec7du);
  EXPECT_EQ(boost_sample_key(7, 3, 59999), 0x29080d66u);
  EXPECT_EQ(boost_sample_key(0x123456789abcdef0, 10, uint64_t{1} << 40),
            0x380091b2u);
  EXPECT_EQ(boost_sample_key(UINT64_MAX, UINT64_MAX, UINT64_MAX), 0x2a671377u);
}

TEST(SampleBits, BitsKnownAnswers) {
  EXPECT_EQ(boost_random_stream("drop1"), kStream);
  EXPECT_EQ(boost_sample_bits(0, 0, 0), 0u);
  EXPECT_EQ(boost_sample_bits(0, 0, 1), 0x58f54975u);
  EXPECT_EQ(boost_sample_bits(0x29080d66, kStream, 0), 0x3180670eu);
  EXPECT_EQ(boost_sample_bits(0x29080d66, kStream, 1), 0xadb186f4u);
  EXPECT_EQ(boost_sample_bits(0x29080d66, kStream, UINT32_MAX), 0xd72371ffu);
  EXPECT_EQ(boost_sample_bits(UINT32_MAX, UINT64_MAX, UINT32_MAX), 0u);
}

/// What undoes boost_mix32(), if that is a permutation: x ^= x >> s is undone
/// by xor with every multiple of s, a product by the factor's inverse.
uint32_t undoMix32(uint32_t y) {
  auto inverse = [](uint32_t odd) {
    uint32_t guess = odd; // right in 3 bits; each round doubles them
    for (int round = 0; round < 4; ++round)
      guess *= 2 - odd * guess;
    return guess;
  };
  y ^= y >> 16;
  y *= inverse(0x846ca68b);
  y ^= y >> 15 ^ y >> 30;
  y *= inverse(0x7feb352d);
  return y ^ y >> 16;
}

TEST(SampleBits, Mix32IsAPermutation) {
  // Both ends, every power of two, and a walk over all the rest.
  for (int64_t i = 0; i < kDraws; ++i)
    for (auto x : {static_cast<uint32_t>(i), ~static_cast<uint32_t>(i),
                   static_cast<uint32_t>(i) * 0x9e3779b9u})
      ASSERT_EQ(undoMix32(boost_mix32(x)), x);
  for (int bit = 0; bit < 32; ++bit)
    EXPECT_EQ(undoMix32(boost_mix32(1u << bit)), 1u << bit);
}

TEST(SampleBits, ElementsOfASampleDiffer) {
  // For a fixed sample and layer the bits are a permutation of the elements.
  std::set<uint32_t> seen;
  for (uint32_t element = 0; element < 100000; ++element)
    seen.insert(boost_sample_bits(0x29080d66, kStream, element));
  EXPECT_EQ(seen.size(), 100000u);
}

/// How far `sum` of `draws` terms of the given mean and variance may be off.
void expectNear(double sum, double draws, double mean, double variance) {
  EXPECT_LE(std::abs(sum - draws * mean), 5 * std::sqrt(draws * variance));
}

const uint32_t kKeys[] = {0, 1, UINT32_MAX, boost_sample_key(1, 1, 0),
                          boost_sample_key(1, 1, 1)};

TEST(SampleBits, KeepsTheFractionAsked) {
  for (uint32_t key : kKeys)
    for (double rate : {0.5, 0.1, 0.9}) {
      SCOPED_TRACE(testing::Message() << key << " " << rate);
      int64_t kept = 0;
      for (int64_t i = 0; i < kDraws; ++i)
        kept += boost_sample_bits(key, kStream, i) >= rate * 0x1p32;
      expectNear(kept, kDraws, 1 - rate, rate * (1 - rate));
    }
}

/// +1 or -1 by one bit.
int sign(uint32_t bits, int bit) { return bits >> bit & 1 ? 1 : -1; }

/// That the products of two sequences of fair signs average out: each product
/// has mean 0 and variance 1 when the signs are independent.
template <typename A, typename B> void expectUncorrelated(A &&a, B &&b) {
  for (int bit : {31, 30, 16, 0}) {
    SCOPED_TRACE(bit);
    int64_t sum = 0;
    for (int64_t i = 0; i < kDraws; ++i)
      sum += sign(a(i), bit) * sign(b(i), bit);
    expectNear(sum, kDraws, 0, 1);
  }
}

TEST(SampleBits, NeighbouringElementsAreUncorrelated) {
  for (uint32_t key : kKeys)
    for (uint32_t distance : {1, 2, 28, 64, 784, 65536}) {
      SCOPED_TRACE(testing::Message() << key << " " << distance);
      auto bits = [&](uint32_t i) {
        return boost_sample_bits(key, kStream, i);
      };
      expectUncorrelated(bits, [&](uint32_t i) { return bits(i + distance); });
    }
}

TEST(SampleBits, TwoSamplesAreUncorrelated) {
  for (uint32_t first : kKeys)
    for (uint32_t second : {first ^ 1, first + 2, first ^ 0x80000000,
                            boost_sample_key(1, 1, 2)}) {
      SCOPED_TRACE(testing::Message() << first << " " << second);
      expectUncorrelated(
          [&](uint32_t i) { return boost_sample_bits(first, kStream, i); },
          [&](uint32_t i) { return boost_sample_bits(second, kStream, i); });
    }
}

TEST(SampleBits, OneElementOfManySamplesIsFair) {
  for (uint32_t element : {0u, 1u, 783u, UINT32_MAX}) {
    SCOPED_TRACE(element);
    auto bits = [&](int64_t sample) {
      return boost_sample_bits(boost_sample_key(1, 1, sample), kStream,
                               element);
    };
    int64_t kept = 0;
    for (int64_t i = 0; i < kDraws; ++i)
      kept += bits(i) >> 31;
    expectNear(kept, kDraws, 0.5, 0.25);
    expectUncorrelated(bits, [&](int64_t i) { return bits(i + 1); });
  }
}

TEST(SampleBits, TwoLayersAreUncorrelated) {
  const char *names[][2] = {{"drop1", "drop2"},
                            {"a", "b"},
                            {"stage1.0.drop", "stage1.1.drop"},
                            {"drop1", "drop10"}};
  for (uint32_t key : kKeys)
    for (auto [first, second] : names) {
      SCOPED_TRACE(testing::Message() << key << " " << first);
      uint64_t a = boost_random_stream(first), b = boost_random_stream(second);
      expectUncorrelated(
          [&](uint32_t i) { return boost_sample_bits(key, a, i); },
          [&](uint32_t i) { return boost_sample_bits(key, b, i); });
    }
}

} // namespace
} // namespace boostrt
