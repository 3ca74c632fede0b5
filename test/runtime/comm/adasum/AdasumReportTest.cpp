// What an Adasum tells about the vectors it combined, and about itself.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace boostrt;
using namespace boostrt::test;

namespace {

TEST(AdasumReport, SaysHowOrthogonalVectorsAre) {
  for (uint32_t n : {2, 3, 4, 8, 12}) {
    // Vector 0: orthogonal; 1: equal; 2: zero; 3: empty.
    AdasumCase what;
    what.tensors = {{0, n, 0}, {n, 5, 1}, {n + 5, 3, 2}, {n + 8, 0, 3}};
    for (uint32_t rank = 0; rank < n; ++rank) {
      std::vector<float> bucket(n + 8);
      bucket[rank] = 1.0f + rank;
      std::fill_n(bucket.begin() + n, 5, 3.0f);
      what.buckets.push_back(bucket);
    }
    for (const AdasumForm &form : allForms(n)) {
      SCOPED_TRACE(form.name);
      AdasumReport report = run(what, form.options, true).report;
      ASSERT_EQ(report.vectors.size(), 4u);
      EXPECT_EQ(report.vectors[0].orthogonality, 1);
      EXPECT_EQ(report.vectors[0].coefficients, std::vector<double>(n, 1));
      EXPECT_NEAR(report.vectors[1].orthogonality, 1.0 / n, 1e-7);
      double sum = 0;
      for (double c : report.vectors[1].coefficients)
        sum += c;
      EXPECT_NEAR(sum, 1, 1e-7);
      EXPECT_EQ(report.vectors[2].orthogonality, 1);
      EXPECT_EQ(report.vectors[2].coefficients, std::vector<double>(n, 1));
      EXPECT_EQ(report.vectors[3].coefficients, std::vector<double>(n, 1));
    }
  }
}

TEST(AdasumReport, CountsWhatServersContribute) {
  // Two servers of two, equal within each and orthogonal across.
  AdasumCase what = caseOf({{2, 0}, {2, 0}, {0, 3}, {0, 3}});
  AdasumOptions options;
  options.ranksPerMean = 2;
  AdasumVectorReport vector = run(what, options, true).report.vectors.at(0);
  EXPECT_EQ(vector.coefficients, std::vector<double>(4, 0.5));
  EXPECT_EQ(vector.orthogonality, 1);
}

TEST(AdasumReport, TheResultDoesNotDependOnIt) {
  AdasumCase what = caseOf(randomVectors(6, 500, 0.5, 1), {100, 400});
  for (const AdasumForm &form : allForms(6))
    EXPECT_EQ(run(what, form.options, true).bucket,
              run(what, form.options).bucket);
}

TEST(AdasumDescription, SaysWhatItDoes) {
  AdasumCase what = caseOf(randomVectors(16, 100, 0.5, 1), {50, 50});
  AdasumOptions options;
  options.radices = {2, 4};
  options.ranksPerMean = 2;
  options.cut = adasum::Cut::EqualSlices;
  EXPECT_EQ(run(what, options).described[3],
            "mean of 2, then Adasum of 2 x 4 in equal slices");
  options.meansAreKnown = true;
  EXPECT_EQ(run(what, options).described[3],
            "Adasum of 2 x 4 in equal slices, shared by 2 ranks each");
  options.ranksPerMean = 1;
  options.radices = {16};
  options.cut = adasum::Cut::WholeVectors;
  EXPECT_EQ(run(what, options).described[0], "Adasum of 16 in whole vectors");
}

TEST(AdasumDescription, OneServerIsItsMean) {
  Vectors ranks = randomVectors(4, 100, 0.5, 2);
  AdasumOptions options;
  options.ranksPerMean = 4;
  AdasumOutcome outcome = run(caseOf(ranks), options, true);
  EXPECT_EQ(outcome.described[0], "mean of 4, then nothing to combine");
  Vector sum = plus(plus(ranks[0], ranks[1]), plus(ranks[2], ranks[3]));
  EXPECT_LE(relative(outcome.values(), times(0.25, sum)), kEps);
  EXPECT_EQ(outcome.report.vectors[0].coefficients,
            std::vector<double>(4, 0.25));
}

} // namespace
