// What ranks send, byte by byte, and jobs that are larger than a machine.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

using namespace boostrt;
using namespace boostrt::test;

namespace {

class AdasumTraffic : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, AdasumTraffic,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 12, 16));

TEST_P(AdasumTraffic, EqualSlicesSendTwiceTheVectorButForTheOwnPart) {
  uint32_t n = GetParam();
  size_t size = size_t(n) * 60;
  // Layers begin where slices do not.
  std::vector<size_t> sizes = {7, size - 17, 10};
  AdasumCase what = caseOf(randomVectors(n, size, 0.5, 1), sizes);
  uint64_t bytes = size * sizeof(float);
  for (const AdasumForm &form : allForms(n)) {
    if (form.options.cut != adasum::Cut::EqualSlices)
      continue;
    AdasumOutcome outcome = run(what, form.options);
    for (uint32_t rank = 0; rank < n; ++rank) {
      const AdasumStats &stats = outcome.stats[rank];
      EXPECT_EQ(stats.vectorBytes, 2 * (bytes - bytes / n)) << form.name;
      EXPECT_EQ(outcome.traffic[rank].sentBytes,
                stats.vectorBytes + stats.scalarBytes);
    }
    // With one level: a vector's other holders send its products to one, which
    // returns a number that says it is done and the coefficients.
    if (form.options.radices.size() > 1)
      continue;
    uint64_t scalars = 0, expected = 0, begin = 0;
    for (const AdasumStats &stats : outcome.stats)
      scalars += stats.scalarBytes;
    for (size_t vectorSize : sizes) {
      uint64_t first = begin / 60, last = (begin + vectorSize - 1) / 60;
      expected += (last - first) * sizeof(double) * (n * (n + 1) / 2 + 1 + n);
      begin += vectorSize;
    }
    EXPECT_EQ(scalars, expected) << form.name;
  }
}

TEST_P(AdasumTraffic, UnequalSlicesDifferByAnElement) {
  uint32_t n = GetParam();
  size_t size = size_t(n) * 60 + 1;
  AdasumCase what = caseOf(randomVectors(n, size, 0.5, 2));
  AdasumOptions options;
  options.radices = {n};
  options.cut = adasum::Cut::EqualSlices;
  AdasumOutcome outcome = run(what, options);
  for (uint32_t rank = 0; rank < n; ++rank) {
    size_t own = rank == 0 ? 61 : 60;
    EXPECT_EQ(outcome.stats[rank].vectorBytes,
              ((size - own) + (n - 1) * own) * sizeof(float));
  }
}

TEST_P(AdasumTraffic, WholeVectorsSendNoScalars) {
  uint32_t n = GetParam();
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 3 * n; ++i)
    sizes.push_back(10 + i * 7 % 13);
  size_t size = std::reduce(sizes.begin(), sizes.end());
  AdasumCase what = caseOf(randomVectors(n, size, 0.5, 3), sizes);
  for (const AdasumForm &form : allForms(n)) {
    if (form.options.cut != adasum::Cut::WholeVectors)
      continue;
    AdasumOutcome outcome = run(what, form.options);
    uint64_t together = 0, most = 0;
    for (uint32_t rank = 0; rank < n; ++rank) {
      // With one level; where there are more, a part may be too small for what
      // is left of it.
      if (form.options.radices.size() == 1) {
        EXPECT_EQ(outcome.stats[rank].scalarBytes, 0u) << form.name;
      }
      EXPECT_EQ(outcome.traffic[rank].sentBytes,
                outcome.stats[rank].vectorBytes +
                    outcome.stats[rank].scalarBytes);
      together += outcome.stats[rank].vectorBytes;
      most = std::max(most, outcome.stats[rank].vectorBytes);
    }
    EXPECT_EQ(together, 2 * (n - 1) * size * sizeof(float)) << form.name;
    // Packing the largest first leaves no rank with a third more than others.
    EXPECT_LE(most, 4 * 2 * (n - 1) * size * sizeof(float) / n / 3);
    RecordProperty("largest" +
                       fmt::format("{}", fmt::join(form.options.radices, "x")),
                   static_cast<int>(most));
  }
}

TEST_P(AdasumTraffic, TheTransportDoesNotMatter) {
  uint32_t n = GetParam();
  AdasumCase what =
      caseOf(randomVectors(n, 20000, 0.5, 4), {7, 5000, 0, 1, 14992});
  for (const AdasumForm &form : mainForms(n)) {
    std::vector<float> local = run(what, form.options).bucket;
    for (const TransportKind &kind : transportKinds())
      EXPECT_EQ(run(what, form.options, true, kind).bucket, local)
          << form.name << ", " << kind.name;
  }
}

TEST(AdasumOfManyRanks, TwoLevels) {
  // 32 servers of 8: the mean in a server, Adasum across.
  Vectors ranks = randomVectors(256, 2000, 0.5, 5), means;
  for (uint32_t server = 0; server < 32; ++server) {
    Vector sum(2000);
    for (uint32_t i = 0; i < 8; ++i)
      sum = plus(sum, ranks[server * 8 + i]);
    means.push_back(times(1.0 / 8, sum));
  }
  std::vector<size_t> sizes = {1, 150, 800, 9, 1040};
  AdasumCase what = caseOf(ranks, sizes), ofMeans = caseOf(means, sizes);
  for (AdasumForm form : mainForms(32)) {
    form.options.ranksPerMean = 8;
    AdasumOutcome outcome = run(what, form.options, true);
    for (uint32_t vector = 0; vector < sizes.size(); ++vector) {
      Vectors servers;
      size_t offset = what.tensors[vector].offset;
      for (const Vector &mean : means)
        servers.emplace_back(mean.begin() + offset,
                             mean.begin() + offset + sizes[vector]);
      EXPECT_LE(
          relative(what.vectorOf(outcome.bucket, vector), treeOf(servers)),
          kTolerance)
          << form.name;
      Vector sum(sizes[vector]);
      for (uint32_t rank = 0; rank < 256; ++rank)
        sum = plus(sum,
                   times(outcome.report.vectors[vector].coefficients.at(rank),
                         what.vectorOf(what.buckets[rank], vector)));
      EXPECT_LE(relative(what.vectorOf(outcome.bucket, vector), sum),
                kTolerance);
    }
  }
}

TEST(AdasumOfManyRanks, KnownMeansAreNotExchanged) {
  constexpr uint32_t perMean = 3, leaves = 4, size = 120 * perMean;
  Vectors means = randomVectors(leaves, size, 0.5, 7), ranks;
  for (const Vector &mean : means)
    ranks.insert(ranks.end(), perMean, mean);
  std::vector<size_t> sizes = {100, 1, size - 101};
  for (AdasumForm form : mainForms(leaves)) {
    form.options.ranksPerMean = perMean;
    AdasumOutcome computed = run(caseOf(ranks, sizes), form.options, true);
    form.options.meansAreKnown = true;
    AdasumOutcome known = run(caseOf(ranks, sizes), form.options, true);
    EXPECT_EQ(known.bucket, computed.bucket) << form.name;
    for (uint32_t vector = 0; vector < sizes.size(); ++vector) {
      EXPECT_EQ(known.report.vectors[vector].coefficients,
                computed.report.vectors[vector].coefficients);
      EXPECT_EQ(known.report.vectors[vector].orthogonality,
                computed.report.vectors[vector].orthogonality);
    }
    uint64_t spared = 0;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      spared +=
          computed.stats[rank].vectorBytes - known.stats[rank].vectorBytes;
    EXPECT_EQ(spared, leaves * (perMean - 1) * size * sizeof(float));
  }
}

TEST(AdasumOfManyRanks, ChoosesByItself) {
  AdasumCase what = caseOf(randomVectors(64, 3000, 0.5, 6), {100, 2900});
  expectDefinition(what, {{"chosen", {}}}, kTolerance);
}

} // namespace
