// The properties P1 - P16 of Adasum, each for several ways to compute it.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace boostrt;
using namespace boostrt::test;

namespace {

class AdasumProperties : public testing::TestWithParam<uint32_t> {
protected:
  uint32_t n() const { return GetParam(); }
  bool isPowerOfTwo() const { return std::has_single_bit(n()); }

  /// That all forms agree is P15.
  template <typename Check> void forEachForm(Check &&check) {
    for (const AdasumForm &form : mainForms(n())) {
      SCOPED_TRACE(form.name);
      check(form.options);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, AdasumProperties,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 12, 16));

Vector resultOf(const Vectors &ranks, const AdasumOptions &options) {
  return run(caseOf(ranks), options).values();
}

TEST_P(AdasumProperties, IsItsDefinition) {
  for (double share : {0.0, 0.5, 0.99}) {
    Vectors ranks = randomVectors(n(), 1000, share, 1);
    for (uint32_t rank = 0; rank < n(); ++rank)
      for (double &x : ranks[rank]) // magnitudes that differ much
        x = static_cast<float>(x * std::pow(10, int(rank * 7 % 5) - 2));
    expectDefinition(caseOf(ranks, {1, 7, 400, 3, 0, 589}), allForms(n()),
                     kTolerance);
  }
}

/// Rows of a Hadamard matrix times powers of two: every sum is exact.
TEST_P(AdasumProperties, P1OrthogonalVectorsAreAdded) {
  Vectors ranks(n(), Vector(64));
  Vector sum(64);
  for (uint32_t rank = 0; rank < n(); ++rank) {
    for (uint32_t i = 0; i < 64; ++i)
      ranks[rank][i] =
          std::ldexp(std::popcount((rank * 3 + 1) % 64 & i) % 2 ? -1.0 : 1.0,
                     int(rank % 7) - 3);
    sum = plus(sum, ranks[rank]);
  }
  forEachForm([&](const AdasumOptions &options) {
    EXPECT_EQ(resultOf(ranks, options), sum);
  });
}

TEST_P(AdasumProperties, P2CollinearVectorsAreAveraged) {
  Vector base = randomVectors(1, 333, 0, 2)[0];
  Vectors ranks;
  Vector mean(base.size());
  for (uint32_t rank = 0; rank < n(); ++rank) {
    // Powers of two, with signs: what ranks have is collinear exactly.
    double factor = std::ldexp(rank % 3 == 1 ? -1 : 1, rank % 4);
    ranks.push_back(times(factor, base));
    mean = plus(mean, times(1.0 / n(), ranks.back()));
  }
  forEachForm([&](const AdasumOptions &options) {
    EXPECT_LE(relative(resultOf(ranks, options), mean), kTolerance);
  });
}

TEST_P(AdasumProperties, P3EqualVectorsStay) {
  Vectors ranks(n(), randomVectors(1, 333, 0, 3)[0]);
  forEachForm([&](const AdasumOptions &options) {
    EXPECT_LE(relative(resultOf(ranks, options), ranks[0]), 4 * kEps);
  });
}

TEST_P(AdasumProperties, P4RelabellingRanksWithinTheTreeChangesNothing) {
  if (!isPowerOfTwo())
    GTEST_SKIP() << "the tree has other symmetries";
  Vectors ranks = randomVectors(n(), 333, 0.5, 4);
  forEachForm([&](const AdasumOptions &options) {
    Vector result = resultOf(ranks, options);
    for (uint32_t flip : {1u, n() / 2, n() - 1}) {
      Vectors relabelled;
      for (uint32_t rank = 0; rank < n(); ++rank)
        relabelled.push_back(ranks[rank ^ flip]);
      EXPECT_LE(relative(resultOf(relabelled, options), result), 10 * kEps);
    }
  });
}

TEST_P(AdasumProperties, P5OneFactorForAllScalesTheResult) {
  Vectors ranks = randomVectors(n(), 333, 0.5, 5);
  forEachForm([&](const AdasumOptions &options) {
    Vector result = resultOf(ranks, options);
    for (auto [factor, tolerance] :
         {std::pair(-0.125, 0.0), std::pair(std::ldexp(1, 40), 0.0),
          std::pair(3.0, 10 * kEps), std::pair(1e-30, 10 * kEps)}) {
      Vectors scaled;
      for (const Vector &rank : ranks)
        scaled.push_back(times(factor, rank));
      EXPECT_LE(relative(resultOf(scaled, options), times(factor, result)),
                tolerance)
          << factor;
    }
  });
}

TEST_P(AdasumProperties, P6ThePlaceOfAnElementDoesNotMatter) {
  Vectors ranks = randomVectors(n(), 333, 0.5, 6);
  auto permuted = [](const Vector &vector) {
    Vector other;
    for (size_t i = 0; i < vector.size(); ++i)
      other.push_back(vector[i * 100 % vector.size()]);
    return other;
  };
  Vectors others;
  for (const Vector &rank : ranks)
    others.push_back(permuted(rank));
  forEachForm([&](const AdasumOptions &options) {
    EXPECT_LE(
        relative(resultOf(others, options), permuted(resultOf(ranks, options))),
        10 * kEps);
  });
}

TEST_P(AdasumProperties, P7AZeroVectorIsNeutral) {
  Vector zero(333), some = randomVectors(1, 333, 0, 7)[0];
  forEachForm([&](const AdasumOptions &options) {
    EXPECT_EQ(resultOf(Vectors(n(), zero), options), zero);
    for (uint32_t rank = 0; rank < n(); ++rank) {
      Vectors ranks(n(), zero);
      ranks[rank] = some;
      EXPECT_EQ(resultOf(ranks, options), some) << "rank " << rank;
    }
  });
}

TEST_P(AdasumProperties, P8TheResultIsNoLongerThanOrthogonalVectorsWouldMake) {
  for (double share : {0.0, 0.3, 0.9, 1.0}) {
    Vectors ranks = randomVectors(n(), 100, share, 8);
    for (uint32_t rank = 0; rank < n(); rank += 2)
      ranks[rank] = times(-4, ranks[rank]);
    double squares = 0;
    for (const Vector &rank : ranks)
      squares += dot(rank, rank);
    forEachForm([&](const AdasumOptions &options) {
      Vector result = resultOf(ranks, options);
      EXPECT_LE(dot(result, result), squares * (1 + 10 * kEps));
    });
  }
}

TEST_P(AdasumProperties, P8FiniteVectorsDoNotOverflow) {
  float largest = std::numeric_limits<float>::max();
  // The squares of the norms add up to less than the largest number's.
  Vectors ranks(n(), Vector(16));
  for (uint32_t rank = 0; rank < n(); ++rank)
    ranks[rank][rank] = static_cast<float>(largest * 0.9);
  forEachForm([&](const AdasumOptions &options) {
    Vector result = resultOf(ranks, options);
    for (uint32_t rank = 0; rank < n(); ++rank)
      EXPECT_EQ(result[rank], ranks[rank][rank]);
  });
}

class AdasumPairs : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Correlations, AdasumPairs,
                         testing::Values(0.0, 0.1, 0.5, 0.99, 1.0));

TEST_P(AdasumPairs, P9TheResultPointsWhereTheSumDoes) {
  for (double factor : {-1e4, -1.5, -1.0, 1e-3, 1.0}) {
    Vectors ranks = randomVectors(2, 200, GetParam(), 9);
    ranks[1] = times(factor, ranks[1]);
    AdasumCase what = caseOf(ranks);
    for (const AdasumForm &form : allForms(2)) {
      Vector sum = plus(what.vectorOf(what.buckets[0], 0),
                        what.vectorOf(what.buckets[1], 0));
      double squares = dot(ranks[0], ranks[0]) + dot(ranks[1], ranks[1]);
      EXPECT_GE(dot(run(what, form.options).values(), sum),
                -4 * kEps * squares);
    }
  }
}

TEST_P(AdasumPairs, P10TheNormHasAClosedForm) {
  Vectors ranks = randomVectors(2, 200, GetParam(), 10);
  ranks[1] = times(8, ranks[1]);
  double p = dot(ranks[0], ranks[1]);
  double a = dot(ranks[0], ranks[0]), b = dot(ranks[1], ranks[1]);
  double expected =
      a + b - 0.75 * p * p * (1 / a + 1 / b) + p * p * p / (2 * a * b);
  for (const AdasumForm &form : allForms(2)) {
    AdasumOutcome outcome = run(caseOf(ranks), form.options, true);
    EXPECT_NEAR(dot(outcome.values(), outcome.values()), expected,
                kTolerance * (a + b));
    // And in the report, where nothing is rounded to fp32.
    EXPECT_NEAR(outcome.report.vectors[0].orthogonality * (a + b), expected,
                1e-13 * (a + b));
  }
}

TEST_P(AdasumProperties, P11TheResultIsTheSumWithTheReportedCoefficients) {
  Vectors ranks = randomVectors(n(), 333, 0.5, 11);
  forEachForm([&](const AdasumOptions &options) {
    AdasumOutcome outcome = run(caseOf(ranks), options, true);
    Vector sum(ranks[0].size());
    for (uint32_t rank = 0; rank < n(); ++rank)
      sum = plus(sum, times(outcome.report.vectors[0].coefficients.at(rank),
                            ranks[rank]));
    EXPECT_LE(relative(outcome.values(), sum), 10 * kEps);
  });
}

TEST_P(AdasumProperties, P12VectorsOfABucketAreCombinedAsIfAlone) {
  std::vector<size_t> sizes = {0, 1, 2, n() - 1, n(), n() + 1, 5000, 1, 77, 0};
  size_t total = 0;
  for (size_t size : sizes)
    total += size;
  Vectors ranks = randomVectors(n(), total, 0.5, 12);
  forEachForm([&](const AdasumOptions &options) {
    Vector fused = run(caseOf(ranks, sizes), options).values();
    size_t offset = 0;
    for (size_t size : sizes) {
      Vectors alone;
      for (const Vector &rank : ranks)
        alone.emplace_back(rank.begin() + offset, rank.begin() + offset + size);
      Vector part(fused.begin() + offset, fused.begin() + offset + size);
      EXPECT_LE(relative(part, resultOf(alone, options)), 4 * kEps) << size;
      offset += size;
    }
  });
}

// P13, all ranks have the same bits: run() checks it in every test.

/// An average, or another order, would pass many of the tests above.
TEST_P(AdasumProperties, P14TheOrderOfRanksMatters) {
  if (n() < 4)
    GTEST_SKIP() << "needs two levels";
  Vectors ranks = randomVectors(n(), 333, 0.7, 14);
  Vectors swapped = ranks;
  std::swap(swapped[1], swapped[2]);
  Vector chain = ranks[0], mean = times(1.0 / n(), ranks[0]);
  for (uint32_t rank = 1; rank < n(); ++rank) {
    chain = pairRule(chain, ranks[rank], 1, 1);
    mean = plus(mean, times(1.0 / n(), ranks[rank]));
  }
  forEachForm([&](const AdasumOptions &options) {
    Vector result = resultOf(ranks, options);
    EXPECT_GT(relative(resultOf(swapped, options), result), 1e-3);
    EXPECT_GT(relative(chain, result), 1e-3);
    EXPECT_GT(relative(mean, result), 1e-3);
  });
}

TEST_P(AdasumProperties, P15AllSchedulesComputeTheSame) {
  AdasumCase what = caseOf(randomVectors(n(), 4000, 0.5, 15), {1500, 3, 2497});
  Vector flat = run(what, allForms(n())[0].options).values();
  for (const AdasumForm &form : allForms(n()))
    EXPECT_LE(relative(run(what, form.options).values(), flat), 4 * kEps)
        << form.name;
}

TEST_P(AdasumProperties, P16ServersContributeTheirMean) {
  for (uint32_t perServer : {2u, 3u}) {
    Vectors ranks = randomVectors(n() * perServer, 333, 0.5, 16);
    Vectors means;
    for (uint32_t server = 0; server < n(); ++server) {
      Vector sum(333);
      for (uint32_t i = 0; i < perServer; ++i)
        sum = plus(sum, ranks[server * perServer + i]);
      means.push_back(times(1.0 / perServer, sum));
    }
    forEachForm([&](AdasumOptions options) {
      options.ranksPerMean = perServer;
      AdasumOutcome outcome = run(caseOf(ranks), options, true);
      EXPECT_LE(relative(outcome.values(), treeOf(means)), kTolerance);
      Vector sum(333);
      for (uint32_t rank = 0; rank < ranks.size(); ++rank)
        sum = plus(sum, times(outcome.report.vectors[0].coefficients.at(rank),
                              ranks[rank]));
      EXPECT_LE(relative(outcome.values(), sum), 10 * kEps);
    });
  }
}

} // namespace
