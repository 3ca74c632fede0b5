// Adasum of vectors that lie on simulated GPUs: the bits of the host's, which
// other tests hold against the definition, and the definition itself.
#include "runtime/device/cuda/GpuVectors.h"
#include "sim/SimDriver.h"
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace boostrt;
using namespace boostrt::test;

namespace {

struct OnGpus {
  std::vector<std::vector<float>> buckets; ///< of the ranks
  AdasumReport report;
  std::vector<AdasumStats> stats;
};

/// Twice, with the same vectors: what the first run leaves in the memory of the
/// GPU is nothing to the second.
OnGpus runOnGpus(const AdasumCase &what, const AdasumOptions &options) {
  OnGpus outcome;
  uint32_t ranks = what.ranks();
  outcome.buckets.resize(ranks);
  outcome.stats.resize(ranks);
  std::vector<AdasumReport> reports(ranks);
  expectRanks(transportKinds().front(), ranks, [&](Transport &transport) {
    uint32_t rank = transport.rank();
    auto driver = std::move(sim::SimDriver::create(1)).value();
    auto vectors = std::move(GpuVectors::create(*driver)).value();
    std::vector<float> values = what.buckets[rank];
    size_t bytes = values.size() * sizeof(float);
    uint64_t address = *driver->allocate(bytes, "bucket");
    auto *bucket = reinterpret_cast<float *>(address);
    Group group(transport);
    Workspace workspace;
    Result<Adasum> adasum = Adasum::plan(ranks, rank, what.tensors, options);
    if (!adasum.ok())
      return adasum.status();
    for (int repeat = 0; repeat < 2; ++repeat) {
      BOOSTRT_RETURN_IF_ERROR(
          driver->copyIn(address, std::as_bytes(std::span(values))));
      BOOSTRT_RETURN_IF_ERROR(
          adasum->run(group, bucket, workspace, *vectors, &reports[rank]));
      EXPECT_LE(vectors->capacity(), adasum->scratchBytes());
      EXPECT_EQ(workspace.capacity(), 0u) << "the host has a part in it";
    }
    outcome.stats[rank] = adasum->stats();
    DeviceCopy copy{std::as_writable_bytes(std::span(values)), bucket};
    Status status = driver->copyOut({&copy, 1});
    outcome.buckets[rank] = std::move(values);
    return status;
  });
  outcome.report = reports[0];
  return outcome;
}

/// The payload of a NaN is not promised.
bool isSame(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

/// The host's bits, on every rank, and the numbers of its report.
void expectTheHosts(const AdasumCase &what, const AdasumForm &form) {
  SCOPED_TRACE(form.name + ", " + std::to_string(what.ranks()) + " ranks");
  OnGpus found = runOnGpus(what, form.options);
  AdasumOutcome host = run(what, form.options, /*reports=*/true);
  for (uint32_t rank = 0; rank < what.ranks(); ++rank) {
    const std::vector<float> &bucket = found.buckets[rank];
    for (const AdasumTensor &tensor : what.tensors)
      for (size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i)
        ASSERT_TRUE(isSame(bucket[i], host.bucket[i]))
            << "element " << i << " of rank " << rank << ": " << bucket[i]
            << " and " << host.bucket[i];
  }
  ASSERT_EQ(found.report.vectors.size(), host.report.vectors.size());
  for (size_t i = 0; i < host.report.vectors.size(); ++i) {
    EXPECT_EQ(found.report.vectors[i].vectors, host.report.vectors[i].vectors);
    EXPECT_THAT(found.report.vectors[i].coefficients,
                testing::Pointwise(testing::NanSensitiveDoubleEq(),
                                   host.report.vectors[i].coefficients));
  }
  for (uint32_t rank = 0; rank < what.ranks(); ++rank) {
    EXPECT_EQ(found.stats[rank].vectorBytes, host.stats[rank].vectorBytes);
    EXPECT_EQ(found.stats[rank].scalarBytes, host.stats[rank].scalarBytes);
  }
}

class GpuAdasum : public testing::TestWithParam<uint32_t> {};

// Vectors of one element, through several chunks, across every cut, and a
// gap, so that spans travel together.
TEST_P(GpuAdasum, HasTheHostsBitsAndTheDefinitions) {
  uint32_t ranks = GetParam();
  const std::vector<size_t> sizes = {1, 700, 9001, 30, 2500};
  AdasumCase what = caseOf(randomVectors(ranks, 12232, 0.6, int(ranks)), sizes);
  what.tensors.back().offset += 17;
  for (std::vector<float> &bucket : what.buckets)
    bucket.resize(bucket.size() + 17, 1.0f);
  for (const AdasumForm &form : mainForms(ranks))
    expectTheHosts(what, form);
  AdasumForm form = mainForms(ranks).front();
  std::vector<float> found = runOnGpus(what, form.options).buckets[0];
  for (uint32_t index = 0; index < what.vectorCount(); ++index) {
    Vectors brought;
    for (const std::vector<float> &bucket : what.buckets)
      brought.push_back(what.vectorOf(bucket, index));
    EXPECT_LE(relative(what.vectorOf(found, index), treeOf(brought)),
              kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, GpuAdasum,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 12, 16));

// The first two nearly cancel, so that their node is made a vector, on one rank
// or, where it is cut, on several.
TEST(GpuAdasumHardCases, CancellationMakesVectors) {
  Vectors ranks = randomVectors(8, 9000, 0.5, 3);
  for (size_t i = 0; i < 9000; ++i)
    ranks[1][i] = static_cast<float>(1e-5 * ranks[7][i] - ranks[0][i]);
  AdasumCase what = caseOf(ranks, {100, 8000, 900});
  for (const AdasumForm &form : mainForms(8)) {
    expectTheHosts(what, form);
    if (form.options.radices.size() == 1) {
      EXPECT_GE(runOnGpus(what, form.options).report.vectors[1].vectors, 1u);
    }
  }
  expectDefinition(what, mainForms(8), kTolerance);
}

TEST(GpuAdasumHardCases, ZerosAreNeutralAndNansStayInTheirVector) {
  Vectors ranks = randomVectors(4, 6000, 0.5, 4);
  std::fill_n(ranks[1].begin(), 2000, 0.0);
  for (Vector &rank : ranks) // all are zero here
    std::fill_n(rank.begin() + 4000, 500, 0.0);
  ranks[2][5000] = std::numeric_limits<double>::quiet_NaN();
  AdasumCase what = caseOf(ranks, {2000, 2000, 500, 1500});
  for (const AdasumForm &form : mainForms(4)) {
    expectTheHosts(what, form);
    std::vector<float> found = runOnGpus(what, form.options).buckets[3];
    for (size_t i = 0; i < 6000; ++i)
      ASSERT_EQ(std::isnan(found[i]), i >= 4500) << i;
    for (size_t i = 4000; i < 4500; ++i)
      ASSERT_EQ(found[i], 0.0f);
  }
}

TEST(GpuAdasumHardCases, MeansOfServersComeFirst) {
  AdasumCase what = caseOf(randomVectors(6, 7000, 0.5, 5), {10, 4990, 2000});
  for (bool known : {false, true}) {
    AdasumForm form;
    form.name = known ? "known means" : "means";
    form.options.ranksPerMean = 2;
    form.options.meansAreKnown = known;
    if (known) // as the ranks of a server have them
      for (uint32_t rank = 1; rank < 6; rank += 2)
        what.buckets[rank] = what.buckets[rank - 1];
    expectTheHosts(what, form);
  }
}

// One tensor's vectors in two tensors; and blocks that are combined one after
// the other.
TEST(GpuAdasumHardCases, VectorsOfSeveralTensorsAndBlocks) {
  AdasumCase what =
      caseOf(randomVectors(4, 12000, 0.5, 6), {3000, 2000, 3000, 4000});
  what.tensors[2].vector = 0;
  what.tensors[3].vector = 2;
  for (size_t bytes : {size_t(64) << 20, size_t(24000)})
    for (AdasumForm form : mainForms(4)) {
      form.options.blockBytes = bytes;
      expectTheHosts(what, form);
    }
}

// What is wrong on the device is the failure of the run.
TEST(GpuAdasumHardCases, ABucketThatIsNotThereIsAFailure) {
  auto driver = std::move(sim::SimDriver::create(1)).value();
  auto vectors = std::move(GpuVectors::create(*driver)).value();
  // A kernel's operand that ends outside.
  uint64_t address = *driver->allocate(64, "bucket");
  adasum::Rows rows;
  rows.bucket = rows.staging = reinterpret_cast<float *>(address);
  rows.bucketElements = 100;
  rows.count = 2;
  rows.places = 1;
  rows.stride = 1;
  std::vector<adasum::ChunkPlace> chunks(1);
  Status status = vectors->adasumKernels().combine(
      rows, 0, chunks, reinterpret_cast<adasum::Term *>(address), 1);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(),
              testing::HasSubstr("cannot launch 'boost_adasum_combine' of an "
                                 "Adasum over ranks: extent 'bucket'"));
}

} // namespace
