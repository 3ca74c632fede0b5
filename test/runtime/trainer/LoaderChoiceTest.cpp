// Which threads make the batches of a run.

#include "runtime/trainer/LoaderChoice.h"

#include <gtest/gtest.h>

using namespace boostrt;

namespace {

struct Team final : ThreadTeam {
  int size() const override { return 4; }
  void run(void (*)(void *, int), void *) override {}
} team;

/// Batches of `batchSize` images of 28x28 that are resized to as many pixels,
/// or of files that become such.
RunData dataOf(int64_t batchSize, bool areFiles = false, int64_t pixels = 32) {
  RunData data;
  SampleShape shape = {1, 28, 28};
  if (areFiles)
    shape.height = shape.width = 0;
  OwnedBytes none;
  data.source.train = std::make_unique<MemoryDataset>(
      shape, 1, std::move(none), std::vector<int32_t>{0}, "", "");
  nlohmann::json list = {{{"op", "resize"}, {"size", {pixels, pixels}}}};
  if (pixels == 28)
    list.clear();
  if (areFiles)
    list = nlohmann::json::parse(R"([{"op":"resize_short","size":28},
        {"op":"center_crop","size":[28,28]}])");
  data.trainingTransforms = TransformPipeline::create(list, shape).value();
  data.layout.batchSize = batchSize;
  return data;
}

void expectBeside(const RunData &data, int workers) {
  EXPECT_EQ(data.mode, Prefetcher::Mode::Background);
  EXPECT_EQ(data.loading.workers, workers);
  EXPECT_EQ(data.loading.team, nullptr);
}

void expectTeam(const RunData &data) {
  EXPECT_EQ(data.mode, Prefetcher::Mode::Inline);
  EXPECT_EQ(data.loading.team, &team);
  EXPECT_EQ(data.loading.workers, 4) << "the plan counts them";
}

TEST(LoaderChoice, TheRecipeDecides) {
  RunData data = dataOf(32);
  chooseLoader(data, 3, &team, 0);
  expectBeside(data, 3);
  chooseLoader(data, 1, nullptr, 0);
  expectBeside(data, 1);
}

TEST(LoaderChoice, ADeviceOfItsOwnLeavesTheHostOneThread) {
  for (bool areFiles : {false, true}) {
    RunData data = dataOf(32, areFiles);
    chooseLoader(data, {}, nullptr, 0);
    expectBeside(data, 1);
  }
}

TEST(LoaderChoice, ThreadsThatComputeHaveTheirCpus) {
  RunData data = dataOf(32);
  for (int64_t idle : {-2, 0}) {
    chooseLoader(data, {}, &team, idle);
    expectTeam(data);
  }
  chooseLoader(data, {}, &team, 1);
  expectBeside(data, 1);
}

// To wake a thread and to read what it wrote takes as long.
TEST(LoaderChoice, BatchesThatAreMadeAtOnceNeedNoThread) {
  for (auto [batchSize, pixels] : {std::pair(1, 32), {8, 32}, {32, 28}}) {
    RunData data = dataOf(batchSize, /*areFiles=*/false, pixels);
    chooseLoader(data, {}, &team, 1);
    expectTeam(data);
  }
  RunData slow = dataOf(8, /*areFiles=*/false, 30);
  chooseLoader(slow, {}, &team, 1);
  expectBeside(slow, 1);
  // Samples that are kept are copied.
  slow.trainingCache = std::make_unique<SampleCache>(SampleSubset{1}, 900 * 4);
  chooseLoader(slow, {}, &team, 1);
  expectTeam(slow);
}

TEST(LoaderChoice, ImagesAreDecodedByAsManyThreads) {
  RunData files = dataOf(32, true);
  for (int64_t idle : {0, 1, 3}) {
    chooseLoader(files, {}, &team, idle);
    expectTeam(files);
  }
  chooseLoader(files, {}, &team, 4);
  expectBeside(files, 4);
}

} // namespace
