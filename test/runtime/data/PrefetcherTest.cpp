#include "test/runtime/data/BatchArenas.h"
#include "test/runtime/data/CountAllocations.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

using Mode = Prefetcher::Mode;

class PrefetcherModes : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(, PrefetcherModes,
                         testing::Values(Mode::Background, Mode::Inline),
                         [](const auto &info) {
                           return info.param == Mode::Inline ? "Inline"
                                                             : "Background";
                         });

// Sizes of all kinds: whole batches, tails of 1 and of batch - 1, less than
// one.
TEST_P(PrefetcherModes, GivesTheSamplesInOrder) {
  for (int64_t size : {8, 9, 11, 12, 3, 1})
    for (int copies : {2, 3, 5}) {
      auto data = countingData(size);
      Sampler sampler(size, 7, true);
      Arenas arenas(4, copies);
      auto prefetcher = Prefetcher::create(
          *data, half(), sampler, arenas.layout, arenas.bases(), GetParam());
      ASSERT_TRUE(prefetcher.ok()) << prefetcher.status().message();
      for (int64_t epoch : {0, 1, 5}) {
        (*prefetcher)->start(epoch);
        for (int64_t first = 0; first < size; first += 4) {
          Result<Batch> batch = (*prefetcher)->next();
          ASSERT_TRUE(batch.ok());
          EXPECT_EQ(batch->first, first);
          EXPECT_EQ(batch->valid, std::min<int64_t>(4, size - first));
          expectRows(arenas, *batch, sampler, epoch);
        }
        for (int again = 0; again < 2; ++again) {
          Result<Batch> end = (*prefetcher)->next();
          ASSERT_TRUE(end.ok());
          EXPECT_TRUE(end->end());
          EXPECT_EQ(end->base, nullptr);
          EXPECT_EQ(end->first, size);
        }
      }
      arenas.expectIntact();
    }
}

TEST_P(PrefetcherModes, StartsAnywhere) {
  auto data = countingData(10);
  Sampler sampler(10, 7, true);
  Arenas arenas(4, 2);
  auto prefetcher = Prefetcher::create(*data, half(), sampler, arenas.layout,
                                       arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(2, 7);
  Result<Batch> batch = (*prefetcher)->next();
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->first, 7);
  EXPECT_EQ(batch->valid, 3);
  expectRows(arenas, *batch, sampler, 2);
  (*prefetcher)->start(2, 10);
  EXPECT_TRUE((*prefetcher)->next()->end());
}

TEST_P(PrefetcherModes, WithoutStartThereIsNothing) {
  auto data = countingData(10);
  Arenas arenas(4, 2);
  auto prefetcher =
      Prefetcher::create(*data, half(), Sampler(10, 7, true), arenas.layout,
                         arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  EXPECT_TRUE((*prefetcher)->next()->end());
}

TEST_P(PrefetcherModes, StartsAgainInTheMiddle) {
  auto data = countingData(100);
  Sampler sampler(100, 7, true);
  Arenas arenas(4, 3);
  auto prefetcher = Prefetcher::create(*data, half(), sampler, arenas.layout,
                                       arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  for (int64_t round = 0; round < 300; ++round) {
    int64_t first = round * 13 % 100;
    (*prefetcher)->start(round, first);
    for (int64_t taken = 0; taken < round % 4; ++taken) {
      Result<Batch> batch = (*prefetcher)->next();
      ASSERT_TRUE(batch.ok());
      if (batch->end())
        break;
      EXPECT_EQ(batch->first, first + 4 * taken);
      expectRows(arenas, *batch, sampler, round);
    }
  }
}

// Whatever the number of ranks, their batches are all of an epoch's, each once,
// and a window's are those that one rank with as many micro-batches would have.
TEST_P(PrefetcherModes, RanksShareAnEpoch) {
  auto data = countingData(37); // 10 batches of 4, the last has 1
  Sampler sampler(37, 7, true);
  for (uint32_t ranks : {1, 2, 3, 4, 8})
    for (uint32_t microBatches : {1, 2, 3}) {
      std::vector<int> seen(37);
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        Arenas arenas(4, 2);
        WindowShard share{rank, ranks, microBatches};
        auto prefetcher =
            Prefetcher::create(*data, half(), sampler, arenas.layout,
                               arenas.bases(), GetParam(), share);
        ASSERT_TRUE(prefetcher.ok());
        // The second window is where a resumed run would begin.
        int64_t window = share.windowSamples(4);
        for (int64_t begin : {int64_t{0}, std::min<int64_t>(window, 37)}) {
          (*prefetcher)->start(1, begin);
          for (int64_t own = begin / window * microBatches;; ++own) {
            Result<Batch> batch = (*prefetcher)->next();
            ASSERT_TRUE(batch.ok());
            if (batch->end())
              break;
            EXPECT_EQ(batch->first, 4 * share.batch(own));
            EXPECT_EQ(batch->first / window, own / microBatches);
            expectRows(arenas, *batch, sampler, 1);
            for (int32_t row = 0; begin == 0 && row < batch->valid; ++row)
              ++seen[batch->first + row];
          }
        }
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 37)
          << ranks << " ranks, " << microBatches << " micro-batches";
    }
}

TEST_P(PrefetcherModes, LabelOutOfRangeComesInItsPlace) {
  auto data = countingData(10); // labels 0 .. 4
  Arenas arenas(4, 3);
  arenas.layout.classes = 4;
  auto prefetcher =
      Prefetcher::create(*data, half(), Sampler(10, 7, false), arenas.layout,
                         arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  Result<Batch> batch = (*prefetcher)->next();
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->valid, 4);
  for (int again = 0; again < 2; ++again) {
    batch = (*prefetcher)->next();
    ASSERT_FALSE(batch.ok());
    EXPECT_EQ(batch.status().code(), ExitCode::Data);
    EXPECT_EQ(batch.status().message(),
              "labels.bin: found label 4 at sample 4, expected 0 to 3 because "
              "the model has 4 classes; check that the data set belongs to "
              "this model");
  }
  (*prefetcher)->start(0); // forgotten
  EXPECT_TRUE((*prefetcher)->next().ok());
}

TEST_P(PrefetcherModes, NegativeLabelsAreOutOfRange) {
  MemoryDataset data({1, 1, 1}, 1, allocateBytes(1), {-1}, "images.bin",
                     "labels.bin");
  Arenas arenas(4, 2, 1);
  auto prefetcher =
      Prefetcher::create(data, half({1, 1, 1}), Sampler(1, 0, false),
                         arenas.layout, arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  EXPECT_THAT((*prefetcher)->next().status().message(),
              testing::HasSubstr("found label -1 at sample 0"));
}

TEST_P(PrefetcherModes, AllocatesNothingPerStep) {
  auto data = countingData(64);
  Arenas arenas(4, 3);
  auto prefetcher =
      Prefetcher::create(*data, half(), Sampler(64, 7, true), arenas.layout,
                         arenas.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  Prefetcher &source = **prefetcher;
  int64_t batches = 0, before = allocationCount();
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    source.start(epoch);
    for (Result<Batch> batch = source.next(); !batch->end();
         batch = source.next())
      ++batches;
  }
  EXPECT_EQ(allocationCount() - before, 0);
  EXPECT_EQ(batches, 64);
}

TEST(Prefetcher, InlineNeedsOneArenaOnly) {
  auto data = countingData(10);
  Sampler sampler(10, 7, true);
  Arenas arenas(4, 1);
  auto prefetcher = Prefetcher::create(*data, half(), sampler, arenas.layout,
                                       arenas.bases(), Mode::Inline);
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  for (int i = 0; i < 3; ++i) {
    Result<Batch> batch = (*prefetcher)->next();
    ASSERT_TRUE(batch.ok());
    expectRows(arenas, *batch, sampler, 0);
  }
}

// The arena has room for floats: what follows the bytes is not written.
TEST(Prefetcher, BytesAreBatched) {
  auto data = countingData(10);
  Sampler sampler(10, 7, false);
  Arenas arenas(4, 1);
  auto transform = TransformPipeline::create(
      nlohmann::json::array(), {1, 2, 3}, ElementType::U8,
      TransformPurpose::Evaluation, TransformResult::Bytes);
  auto prefetcher = Prefetcher::create(
      *data, *transform, sampler, arenas.layout, arenas.bases(), Mode::Inline);
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  for (int first = 0; first < 10; first += 4) {
    Result<Batch> batch = (*prefetcher)->next();
    ASSERT_TRUE(batch.ok());
    const auto *bytes = reinterpret_cast<const uint8_t *>(
        batch->base + arenas.layout.samplesOffset);
    for (int row = 0; row < 4; ++row)
      for (int i = 0; i < kPixels; ++i)
        EXPECT_EQ(bytes[row * kPixels + i],
                  first + row < 10 ? 10 * (first + row) + i : 0);
    for (int i = 4 * kPixels; i < 4 * 4 * kPixels; ++i)
      EXPECT_EQ(bytes[i], 0xcd);
  }
}

TEST(PrefetcherErrors, Arguments) {
  auto data = countingData(10);
  Arenas good(4, 2);
  auto errorOf = [&](TransformPipeline transform, Sampler sampler,
                     BatchLayout layout, std::vector<std::byte *> arenas,
                     Mode mode, ExitCode code) {
    auto prefetcher =
        Prefetcher::create(*data, transform, sampler, layout, arenas, mode);
    EXPECT_FALSE(prefetcher.ok());
    EXPECT_EQ(prefetcher.status().code(), code);
    return prefetcher.status().message();
  };
  Sampler sampler(10, 0, true);
  EXPECT_EQ(errorOf(half({1, 28, 28}), sampler, good.layout, good.bases(),
                    Mode::Background, ExitCode::Data),
            "images.bin: found samples of 1x2x3, expected 1x28x28; use the "
            "data set the model was written for");
  EXPECT_EQ(errorOf(half(), Sampler(9, 0, true), good.layout, good.bases(),
                    Mode::Background, ExitCode::Internal),
            "prefetch: an order of 9 samples for a data set of 10");
  BatchLayout layout = good.layout;
  layout.batchSize = 0;
  EXPECT_EQ(errorOf(half(), sampler, layout, good.bases(), Mode::Background,
                    ExitCode::Internal),
            "prefetch: a batch of 0 rows");
  layout = good.layout;
  layout.classes = 0;
  EXPECT_EQ(errorOf(half(), sampler, layout, good.bases(), Mode::Background,
                    ExitCode::Internal),
            "prefetch: labels of 0 classes");
  layout = good.layout;
  *layout.labelsOffset += 2;
  EXPECT_EQ(errorOf(half(), sampler, layout, good.bases(), Mode::Background,
                    ExitCode::Internal),
            "prefetch: offsets that are not multiples of 4");
  std::byte *base = good.bases()[0];
  EXPECT_EQ(errorOf(half(), sampler, good.layout, {base}, Mode::Background,
                    ExitCode::Internal),
            "prefetch: 1 batch arenas, expected 2 or more");
  EXPECT_EQ(errorOf(half(), sampler, good.layout, {}, Mode::Inline,
                    ExitCode::Internal),
            "prefetch: 0 batch arenas, expected 1 or more");
  EXPECT_EQ(errorOf(half(), sampler, good.layout, {base, base},
                    Mode::Background, ExitCode::Internal),
            "prefetch: batch arena 0 is null or a duplicate");
  EXPECT_EQ(errorOf(half(), sampler, good.layout, {base, nullptr},
                    Mode::Background, ExitCode::Internal),
            "prefetch: batch arena 1 is null or a duplicate");
}

} // namespace
} // namespace boostrt
