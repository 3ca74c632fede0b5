// Samples that are kept as transforms made them.

#include "test/runtime/data/BatchArenas.h"

#include <cstring>
#include <numeric>
#include <thread>

namespace boostrt {
namespace {

TEST(SampleCache, RanksHaveEachSampleOnce) {
  for (int64_t samples : {0, 1, 7, 8, 9, 24})
    for (int64_t batch : {1, 4, 30})
      for (uint32_t ranks : {1, 2, 5}) {
        int64_t all = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank) {
          SampleSubset subset = {samples, batch, {rank, ranks, 1}};
          std::vector<int64_t> places;
          for (int64_t i = 0; i < samples; ++i)
            if (i / batch % ranks == rank)
              places.push_back(subset.placeOf(i));
          std::vector<int64_t> inOrder(static_cast<size_t>(subset.size()));
          std::iota(inOrder.begin(), inOrder.end(), 0);
          EXPECT_EQ(places, inOrder);
          all += subset.size();
        }
        EXPECT_EQ(all, samples);
      }
}

TEST(SampleCache, InTrainingARankHasAll) {
  SampleSubset all = {9};
  EXPECT_EQ(all.size(), 9);
  for (int64_t i = 0; i < 9; ++i)
    EXPECT_EQ(all.placeOf(i), i);
  EXPECT_EQ(SampleCache(all, 5).bytes(), 9u * 6);
}

// Where threads bring a sample at once, one copy is kept; it is not found
// before all of it is there.
TEST(SampleCache, ThreadsMayBringTheSameSample) {
  constexpr int64_t kBytes = 1 << 16, kSamples = 50;
  SampleCache cache({kSamples}, kBytes);
  cache.reserve();
  auto bring = [&] {
    std::vector<uint8_t> bytes(kBytes);
    for (int64_t sample = 0; sample < kSamples; ++sample) {
      std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(sample + 1));
      const uint8_t *found = cache.find(sample);
      EXPECT_TRUE(!found || std::memcmp(found, bytes.data(), kBytes) == 0);
      cache.keep(sample, bytes.data());
    }
  };
  std::thread threads[] = {std::thread(bring), std::thread(bring),
                           std::thread(bring)};
  for (std::thread &thread : threads)
    thread.join();
  for (int64_t sample = 0; sample < kSamples; ++sample) {
    ASSERT_NE(cache.find(sample), nullptr);
    EXPECT_EQ(cache.find(sample)[kBytes - 1], sample + 1);
  }
}

TEST(SampleCache, EachSampleIsTransformedOnce) {
  constexpr int64_t kSize = 23;
  for (auto mode : {Prefetcher::Mode::Inline, Prefetcher::Mode::Background}) {
    GatedData data(kSize);
    Sampler sampler(kSize, 7, /*shuffle=*/true);
    TransformPipeline transform = half();
    SampleCache cache({kSize}, transform.outputBytes());
    cache.reserve();
    Arenas arenas(4, 3);
    auto batches = Prefetcher::create(data, transform, sampler, arenas.layout,
                                      arenas.bases(), mode, {},
                                      {.workers = 2, .cache = &cache});
    ASSERT_TRUE(batches.ok());
    for (int64_t epoch : {1, 2, 3}) {
      (*batches)->start(epoch);
      for (int64_t first = 0; first < kSize; first += 4) {
        Result<Batch> batch = (*batches)->next();
        ASSERT_TRUE(batch.ok());
        expectRows(arenas, *batch, sampler, epoch);
      }
      EXPECT_TRUE((*batches)->next()->end());
    }
    EXPECT_EQ(data.asked, kSize);
  }
}

} // namespace
} // namespace boostrt
