// The coefficients from a Gram matrix, against the definition on vectors, all
// in double precision.
#include "runtime/comm/adasum/Coefficients.h"
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace boostrt;
using namespace boostrt::test;
using namespace boostrt::adasum;

namespace {

struct Combined {
  Vector result;
  Combination combination;
};

/// As a level does, without rounding what is made a vector.
Combined combined(Vectors ranks) {
  uint32_t n = static_cast<uint32_t>(ranks.size());
  Combination combination(n);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j <= i; ++j)
      combination.gram[pairIndex(i, j)] = dot(ranks[i], ranks[j]);
  combination.begin();
  std::vector<Merge> merges = mergesOf(n);
  auto sum = [&](uint32_t lo, uint32_t hi) {
    Vector result(ranks[0].size());
    for (uint32_t i = lo; i < hi; ++i)
      result = plus(result, times(combination.slots[i], ranks[i]));
    return result;
  };
  for (int merge; (merge = combination.advance(merges)) >= 0;) {
    auto [lo, mid, hi] = merges[merge];
    ranks[lo] = sum(lo, hi);
    Vector products;
    for (const Vector &rank : ranks)
      products.push_back(dot(ranks[lo], rank));
    combination.replace(merges[merge], products);
  }
  return {sum(0, n), combination};
}

TEST(AdasumTree, HalvesAreTheLargestPowersOfTwo) {
  auto text = [](uint32_t leaves) {
    std::string text;
    for (auto [lo, mid, hi] : mergesOf(leaves))
      text += std::to_string(lo) + "," + std::to_string(mid) + "," +
              std::to_string(hi) + " ";
    return text;
  };
  EXPECT_EQ(text(1), "");
  EXPECT_EQ(text(2), "0,1,2 ");
  EXPECT_EQ(text(3), "0,1,2 0,2,3 ");
  EXPECT_EQ(text(4), "0,1,2 2,3,4 0,2,4 ");
  EXPECT_EQ(text(7), "0,1,2 2,3,4 0,2,4 4,5,6 4,6,7 0,4,7 ");
}

TEST(AdasumCoefficients, P11AreAFunctionOfTheGramMatrix) {
  for (uint32_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64})
    for (double share : {0.0, 0.3, 0.9, 0.999}) {
      Vectors ranks = randomVectors(n, 40 + n, share, n);
      for (uint32_t rank = 0; rank < n; ++rank)
        ranks[rank] = times(std::pow(10, rank * 5 % 7 - 3.0), ranks[rank]);
      Combined found = combined(ranks);
      EXPECT_LE(relative(found.result, treeOf(ranks)), 1e-11)
          << n << " ranks, " << share;
      EXPECT_EQ(found.combination.vectors, 0u);
      EXPECT_NEAR(found.combination.resultNorm /
                      dot(found.result, found.result),
                  1, 1e-10);
      double squares = 0;
      Vector sum(40 + n);
      for (uint32_t rank = 0; rank < n; ++rank) {
        squares += dot(ranks[rank], ranks[rank]);
        sum = plus(sum, times(found.combination.leaves[rank], ranks[rank]));
      }
      EXPECT_NEAR(found.combination.leafNorms / squares, 1, 1e-14);
      EXPECT_LE(relative(sum, found.result), 1e-14);
    }
}

TEST(AdasumCoefficients, WithEqualCountsAreThoseOfTheUnweightedRule) {
  // p = 6, |a|^2 = 4, |b|^2 = 18: 1 - 6/8 and 1 - 6/36.
  Combined found = combined({{2, 0}, {3, 3}});
  EXPECT_DOUBLE_EQ(found.combination.leaves[0], 0.25);
  EXPECT_DOUBLE_EQ(found.combination.leaves[1], 1 - 1.0 / 6);
}

TEST(AdasumCoefficients, WeighRanksNotSubtrees) {
  // 4, 1, 1: the tree of equal weights makes 1.75 of it.
  EXPECT_DOUBLE_EQ(combined({{4}, {1}, {1}}).result[0], 2);
}

/// The figures of the same experiment in single precision: 2e-3 without.
TEST(AdasumCoefficients, CancellationLosesNothing) {
  for (double delta : {1e-2, 1e-4, 1e-6, 1e-7, 1e-9}) {
    Vectors ranks = randomVectors(8, 64, 0, 3);
    ranks[1] = plus(times(-1, ranks[0]), times(delta, ranks[7]));
    ranks[7] = randomVectors(1, 64, 0, 4)[0];
    Combined found = combined(ranks);
    // What is left of the pair has the precision that its elements have.
    EXPECT_LE(relative(found.result, treeOf(ranks)), 1e-13 / delta) << delta;
    EXPECT_EQ(found.combination.vectors, delta < 1e-3 ? 1u : 0u);
  }
}

/// Rounding may leave a product beyond what vectors can have.
TEST(AdasumCoefficients, ProductsAreHeldToCauchyAndSchwarz) {
  Combination combination(2);
  combination.gram = {1, 1 + 1e-10, 1};
  combination.begin();
  EXPECT_EQ(combination.advance(mergesOf(2)), -1);
  EXPECT_EQ(combination.slots, (std::vector<double>{0.5, 0.5}));
}

} // namespace
