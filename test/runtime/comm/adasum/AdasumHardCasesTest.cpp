// Values and shapes at which an Adasum could go wrong.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

using namespace boostrt;
using namespace boostrt::test;

namespace {

TEST(AdasumHardCases, ZeroLayersOnSomeRanks) {
  for (uint32_t n : {2, 3, 4, 5, 8}) {
    for (uint32_t zeros = 1; zeros <= n; ++zeros) {
      Vectors ranks = randomVectors(n, 60, 0.5, 1);
      for (uint32_t rank = 0; rank < zeros; ++rank)
        std::fill_n(ranks[(rank * 2 + 1) % n].begin() + 20, 20, 0.0);
      expectDefinition(caseOf(ranks, {20, 20, 20}), mainForms(n), kTolerance);
    }
  }
}

TEST(AdasumHardCases, Denormals) {
  double least = std::numeric_limits<float>::denorm_min();
  for (uint32_t n : {2, 3, 4, 7}) {
    Vectors ranks(n, Vector(10));
    for (uint32_t rank = 0; rank < n; ++rank)
      for (size_t i = 0; i < 10; ++i)
        ranks[rank][i] = least * 4096 * double(int(rank * 5 + i * 3) % 11 - 5);
    // A unit of the last place is 1/4096 of these.
    expectDefinition(caseOf(ranks), allForms(n), 1e-3);
    // The very least: collinear, so that the result is the mean.
    Vectors same(n, Vector(10, least));
    expectDefinition(caseOf(same), allForms(n), 0);
  }
}

TEST(AdasumHardCases, SquaresBeyondSinglePrecision) {
  for (double factor : {1e20, 1e-30}) {
    Vectors ranks = randomVectors(4, 50, 0.5, 2);
    for (Vector &rank : ranks)
      for (double &x : rank)
        x = static_cast<float>(x * factor);
    expectDefinition(caseOf(ranks), allForms(4), kTolerance);
  }
}

TEST(AdasumHardCases, NormsFarApart) {
  for (uint32_t n : {2, 3, 4, 8}) {
    Vectors ranks = randomVectors(n, 300, 0.5, 3);
    for (uint32_t rank = 0; rank < n; ++rank)
      for (double &x : ranks[rank])
        x = static_cast<float>(x * (rank % 2 ? 1e12 : 1e-12));
    expectDefinition(caseOf(ranks), mainForms(n), kTolerance);
  }
}

TEST(AdasumHardCases, OppositeVectorsCancel) {
  for (const AdasumForm &form : allForms(2)) {
    Vector some = randomVectors(1, 100, 0, 4)[0];
    EXPECT_EQ(run(caseOf({some, times(-1, some)}), form.options).values(),
              Vector(100))
        << form.name;
  }
  // Below other nodes: what cancelled is zero, and so neutral.
  for (const AdasumForm &form : allForms(4)) {
    Vectors others = randomVectors(2, 100, 0.5, 5);
    Vector some = times(1024, randomVectors(1, 100, 0, 4)[0]);
    AdasumOutcome outcome = run(
        caseOf({some, times(-1, some), others[0], others[1]}), form.options);
    EXPECT_LE(relative(outcome.values(), pairRule(others[0], others[1], 1, 1)),
              kTolerance)
        << form.name;
  }
}

/// g and -g + d u: the norm of what is left is lost in the Gram matrix.
TEST(AdasumHardCases, NearlyOppositeVectors) {
  for (double delta : {1e-2, 1e-4, 1e-5, 1e-6, 1e-7})
    for (uint32_t n : {3, 4, 6, 8}) {
      size_t size = n == 4 ? 60000 : 6000; // also several chunks
      Vectors ranks = randomVectors(n, size, 0, 6);
      Vector u = randomVectors(1, size, 0, 7)[0];
      for (size_t i = 0; i < size; ++i)
        ranks[1][i] = static_cast<float>(delta * u[i] - ranks[0][i]);
      std::vector<size_t> sizes = {10, size - 15, 5};
      expectDefinition(caseOf(ranks, sizes), mainForms(n), kTolerance);
    }
}

TEST(AdasumHardCases, ManyNodesCancel) {
  // Also nodes of nodes: what ranks 0 and 1 leave cancels with what 2 and 3 do.
  size_t size = 500;
  Vectors ranks = randomVectors(8, size, 0, 8);
  Vectors u = randomVectors(4, size, 0, 9);
  for (size_t i = 0; i < size; ++i) {
    ranks[1][i] = static_cast<float>(1e-5 * u[0][i] - ranks[0][i]);
    ranks[2][i] = -ranks[0][i];
    ranks[3][i] = -ranks[1][i];
    ranks[5][i] = static_cast<float>(1e-6 * u[1][i] - ranks[4][i]);
  }
  for (const AdasumForm &form : mainForms(8)) {
    AdasumOutcome outcome = run(caseOf(ranks, {100, 300, 100}), form.options,
                                /*reports=*/true);
    // The pairs (0,1) and (2,3) are opposite, and cancel; 4 to 7 remain.
    AdasumCase what = caseOf({ranks.begin() + 4, ranks.end()}, {100, 300, 100});
    for (uint32_t vector = 0; vector < 3; ++vector) {
      Vectors rest;
      for (const std::vector<float> &bucket : what.buckets)
        rest.push_back(what.vectorOf(bucket, vector));
      EXPECT_LE(relative(what.vectorOf(outcome.bucket, vector), treeOf(rest)),
                kTolerance)
          << form.name;
      if (form.options.radices.size() == 1) { // else the levels' are vectors
        EXPECT_EQ(outcome.report.vectors[vector].vectors, 4u);
      }
    }
  }
}

TEST(AdasumHardCases, OrdinaryVectorsAreNotMadeAnew) {
  for (double share : {0.0, 0.5, 0.99}) {
    AdasumCase what = caseOf(randomVectors(16, 500, share, 10), {100, 400});
    for (const AdasumVectorReport &vector :
         run(what, mainForms(16)[0].options, true).report.vectors)
      EXPECT_EQ(vector.vectors, 0u);
  }
}

TEST(AdasumHardCases, NotANumberStaysInItsLayer) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()})
    for (uint32_t n : {2, 3, 4, 8}) {
      AdasumCase what = caseOf(randomVectors(n, 90, 0.5, 11), {30, 30, 30});
      AdasumCase good = what;
      what.buckets[n - 1][41] = bad;
      for (const AdasumForm &form : mainForms(n)) {
        std::vector<float> result = run(what, form.options).bucket;
        std::vector<float> without = run(good, form.options).bucket;
        for (size_t i = 0; i < 90; ++i)
          if (i / 30 == 1)
            EXPECT_TRUE(std::isnan(result[i])) << form.name << " " << i;
          else
            EXPECT_EQ(result[i], without[i]) << form.name << " " << i;
      }
    }
}

/// Against a zero vector a NaN's rank keeps its coefficient: the elements that
/// are numbers stay.
TEST(AdasumHardCases, NotANumberAndZero) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  AdasumCase what = caseOf(Vectors(2, Vector(3)));
  what.buckets[0] = {1, nan, 2};
  for (const AdasumForm &form : allForms(2)) {
    std::vector<float> result = run(what, form.options).bucket;
    EXPECT_EQ(result[0], 1);
    EXPECT_TRUE(std::isnan(result[1]));
    EXPECT_EQ(result[2], 2);
  }
}

TEST(AdasumHardCases, FewerElementsThanRanks) {
  for (uint32_t n : {2, 5, 8, 9})
    for (size_t size :
         {size_t(0), size_t(1), size_t(n - 1), size_t(n), size_t(n + 1)}) {
      expectDefinition(caseOf(randomVectors(n, size, 0.5, 12), {size}),
                       mainForms(n), kTolerance);
      // As many layers of one element.
      std::vector<size_t> ones(size, 1);
      if (size)
        expectDefinition(caseOf(randomVectors(n, size, 0.5, 12), ones),
                         mainForms(n), kTolerance);
    }
}

TEST(AdasumHardCases, OneRank) {
  AdasumCase what = caseOf(randomVectors(1, 20, 0, 13), {5, 15});
  AdasumOutcome outcome = run(what, {}, true);
  EXPECT_EQ(outcome.bucket, what.buckets[0]);
  EXPECT_EQ(outcome.report.vectors.at(1).coefficients, std::vector<double>{1});
}

/// Tensors at odd places, with room between them, out of order, several to a
/// vector.
TEST(AdasumHardCases, TensorsAnywhere) {
  AdasumCase what;
  what.tensors = {{1, 7, 0},       {9000, 1, 1},     {13, 4097, 2},
                  {5003, 3000, 1}, {8003, 500, 0},   {9001, 20000, 3},
                  {30003, 16, 2},  {30020, 40000, 1}};
  for (const Vector &rank : randomVectors(8, 70100, 0.5, 14))
    what.buckets.emplace_back(rank.begin(), rank.end());
  expectDefinition(what, mainForms(8), kTolerance);
  what.buckets.resize(5);
  expectDefinition(what, mainForms(5), kTolerance);
}

/// Messages of more than one, and shorter spans that travel together.
TEST(AdasumHardCases, LongBuckets) {
  std::vector<size_t> sizes = {3, 2200001, 100, 20000, 5, 300000, 17};
  size_t total = 0;
  for (size_t size : sizes)
    total += size;
  AdasumCase what = caseOf(randomVectors(2, total, 0.3, 15), sizes);
  for (size_t i = 1; i < what.tensors.size(); i += 2)
    what.tensors[i].count -= 1; // leaves a gap
  expectDefinition(what, mainForms(2), kTolerance);
}

/// Results of a block travel with the parts of the next one.
TEST(AdasumHardCases, SeveralBlocks) {
  AdasumCase what =
      caseOf(randomVectors(12, 5000, 0.5, 22), {700, 0, 1300, 5, 2000, 995});
  what.tensors.push_back({600, 100, 3}); // a vector of two tensors
  what.tensors[0].count -= 101;          // and a gap
  for (uint32_t perMean : {1, 3})
    for (AdasumForm form : mainForms(12 / perMean)) {
      form.options.ranksPerMean = perMean;
      AdasumOutcome one = run(what, form.options, true);
      for (size_t bytes : {1, 5000, 9000}) {
        form.options.blockBytes = bytes;
        AdasumOutcome several = run(what, form.options, true);
        EXPECT_LE(relative(several.values(), one.values()), 4 * kEps)
            << form.name << " " << bytes;
        for (uint32_t vector = 0; vector < what.vectorCount(); ++vector)
          EXPECT_LE(relative(several.report.vectors[vector].coefficients,
                             one.report.vectors[vector].coefficients),
                    kTolerance);
      }
    }
}

TEST(AdasumHardCases, GranularityIsHowTensorsAreNumbered) {
  Vectors ranks = randomVectors(4, 100, 0.5, 16);
  for (size_t i = 0; i < 50; ++i) // layers that differ in what is common
    for (Vector &rank : ranks)
      rank[i] = ranks[0][i];
  AdasumCase perTensor = caseOf(ranks, {50, 50});
  AdasumCase whole = perTensor;
  whole.tensors[1].vector = 0;
  for (const AdasumForm &form : allForms(4)) {
    Vector first = run(perTensor, form.options).values();
    Vector second = run(whole, form.options).values();
    EXPECT_LE(relative(second, treeOf(ranks)), kTolerance);
    EXPECT_GT(relative(first, second), 1e-3);
  }
}

/// Two buckets under way at once, each over a transport of its own: an Adasum
/// has no state but its own.
TEST(AdasumHardCases, TwoBucketsAtOnce) {
  AdasumCase cases[] = {caseOf(randomVectors(4, 30000, 0.5, 17)),
                        caseOf(randomVectors(4, 40000, 0.2, 18), {1, 39999})};
  for (const AdasumForm &form : mainForms(4)) {
    Vector alone[] = {run(cases[0], form.options).values(),
                      run(cases[1], form.options).values()};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        for (int repeat = 0; repeat < 5; ++repeat)
          EXPECT_EQ(run(cases[i], form.options).values(), alone[i]);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

/// Two plans that take turns on one transport and share a workspace.
TEST(AdasumHardCases, BucketsShareAWorkspace) {
  AdasumCase cases[] = {caseOf(randomVectors(3, 3000, 0.5, 19)),
                        caseOf(randomVectors(3, 70, 0.2, 20), {1, 69})};
  Vector alone[] = {run(cases[0]).values(), run(cases[1]).values()};
  expectRanks(transportKinds().front(), 3, [&](Transport &transport) {
    Group group(transport);
    Workspace workspace;
    std::vector<Adasum> adasums;
    for (const AdasumCase &what : cases)
      adasums.push_back(
          Adasum::plan(3, transport.rank(), what.tensors, {}).value());
    for (int repeat = 0; repeat < 3; ++repeat)
      for (int i = 0; i < 2; ++i) {
        std::vector<float> bucket = cases[i].buckets[transport.rank()];
        BOOSTRT_RETURN_IF_ERROR(
            adasums[i].run(group, bucket.data(), workspace));
        EXPECT_EQ(Vector(bucket.begin(), bucket.end()), alone[i]);
      }
    return Status();
  });
}

} // namespace
