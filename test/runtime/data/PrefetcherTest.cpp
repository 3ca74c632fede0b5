#include "runtime/data/Prefetcher.h"
#include "runtime/data/Digits.h"
#include "test/runtime/data/CountAllocations.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace boostrt {
namespace {

using Mode = Prefetcher::Mode;

constexpr int64_t kPixels = 6;

/// Sample i has the bytes 10 i, 10 i + 1, ... and the label i % 5.
std::unique_ptr<Dataset> countingData(int64_t size) {
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[size * kPixels]);
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    labels.push_back(static_cast<int32_t>(i % 5));
    for (int64_t j = 0; j < kPixels; ++j)
      bytes[i * kPixels + j] = static_cast<uint8_t>(10 * i + j);
  }
  return std::make_unique<MemoryDataset>(SampleShape{1, 2, 3}, std::move(bytes),
                                         std::move(labels), "images.bin",
                                         "labels.bin");
}

TransformPipeline half(SampleShape shape = {1, 2, 3}) {
  return TransformPipeline::create(
             nlohmann::json::parse(R"([{"op":"rescale","scale":0.5}])"), shape)
      .value();
}

/// Arenas with a canary behind and the layout features, labels, valid.
struct Arenas {
  int64_t batch;
  std::vector<std::vector<std::byte>> memory;
  BatchLayout layout;

  Arenas(int64_t batch, int copies, int64_t elements = kPixels) : batch(batch) {
    layout.batchSize = batch;
    layout.featuresOffset = 64;
    layout.labelsOffset = layout.featuresOffset + batch * elements * 4 + 64;
    layout.validOffset = layout.labelsOffset + batch * 4 + 64;
    layout.classes = 10;
    memory.assign(copies, std::vector<std::byte>(layout.validOffset + 68,
                                                 std::byte{0xcd}));
  }
  std::vector<std::byte *> bases() {
    std::vector<std::byte *> bases;
    for (auto &arena : memory)
      bases.push_back(arena.data());
    return bases;
  }
  const float *features(const Batch &batch) const {
    return reinterpret_cast<float *>(batch.base + layout.featuresOffset);
  }
  const int32_t *labels(const Batch &batch) const {
    return reinterpret_cast<int32_t *>(batch.base + layout.labelsOffset);
  }
  int32_t valid(const Batch &batch) const {
    return *reinterpret_cast<int32_t *>(batch.base + layout.validOffset);
  }
  /// Bytes outside the three tensors are as they were.
  void expectIntact(int64_t elements = kPixels) const {
    for (const auto &arena : memory)
      for (size_t i = 0; i < arena.size(); ++i) {
        bool inside =
            (i >= layout.featuresOffset &&
             i < layout.featuresOffset + batch * elements * 4) ||
            (i >= layout.labelsOffset && i < layout.labelsOffset + batch * 4) ||
            (i >= layout.validOffset && i < layout.validOffset + 4);
        if (!inside) {
          ASSERT_EQ(arena[i], std::byte{0xcd}) << i;
        }
      }
  }
};

void expectRows(const Arenas &arenas, const Batch &batch,
                const Sampler &sampler, int64_t epoch) {
  ASSERT_EQ(arenas.valid(batch), batch.valid);
  for (int32_t row = 0; row < arenas.batch; ++row) {
    bool real = row < batch.valid;
    int64_t sample = real ? sampler.at(epoch, batch.first + row) : 0;
    EXPECT_EQ(arenas.labels(batch)[row], real ? sample % 5 : 0);
    for (int64_t j = 0; j < kPixels; ++j)
      EXPECT_EQ(arenas.features(batch)[row * kPixels + j],
                real ? static_cast<uint8_t>(10 * sample + j) * 0.5f : 0.0f);
  }
}

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
  MemoryDataset data({1, 1, 1}, std::unique_ptr<uint8_t[]>(new uint8_t[1]()),
                     {-1}, "images.bin", "labels.bin");
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

/// A data set whose samples can be held back, and which counts them.
class GatedData final : public Dataset {
public:
  explicit GatedData(int64_t size)
      : Dataset({1, 2, 3}, std::vector<int32_t>(size), "gated", "gated") {}
  const uint8_t *sample(int64_t) const override {
    asked.fetch_add(1);
    asked.notify_all();
    open.wait(false);
    return bytes;
  }
  void waitForAsked(int64_t count) const {
    for (int64_t now = asked; now < count; now = asked)
      asked.wait(now);
  }
  uint8_t bytes[kPixels] = {};
  mutable std::atomic<int64_t> asked = 0;
  mutable std::atomic<bool> open = true;
};

// With n arenas, one in use, n - 1 are filled ahead and not one more, even
// though there is time: the one in use stays as it is.
TEST(Prefetcher, FillsAheadButNeverTheArenaInUse) {
  GatedData data(400);
  Arenas arenas(4, 3);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  data.waitForAsked(3 * 4); // before next(), all three
  ASSERT_TRUE((*prefetcher)->next().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(data.asked, 3 * 4);
  ASSERT_TRUE((*prefetcher)->next().ok()); // gives the first one back
  data.waitForAsked(4 * 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(data.asked, 4 * 4);
}

TEST(Prefetcher, EndsWhileABatchIsUnderWay) {
  GatedData data(400);
  data.open = false;
  Arenas arenas(4, 2);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  data.waitForAsked(1);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    data.open = true;
    data.open.notify_all();
  });
  prefetcher->reset(); // returns once the sample under way is there
  opener.join();
  EXPECT_LT(data.asked, 8);
}

TEST(Prefetcher, EndsAtAnyTime) {
  auto data = countingData(100);
  for (int round = 0; round < 200; ++round) {
    Arenas arenas(4, 2 + round % 3);
    auto prefetcher = Prefetcher::create(*data, half(), Sampler(100, 7, true),
                                         arenas.layout, arenas.bases());
    ASSERT_TRUE(prefetcher.ok());
    if (round % 4)
      (*prefetcher)->start(round);
    for (int taken = 0; taken < round % 7; ++taken)
      ASSERT_TRUE((*prefetcher)->next().ok());
    arenas.expectIntact();
  }
}

TEST(Prefetcher, WaitingTakesNoTime) {
  GatedData data(400);
  data.open = false;
  Arenas arenas(4, 2);
  auto prefetcher = Prefetcher::create(data, half(), Sampler(400, 0, false),
                                       arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    data.open = true;
    data.open.notify_all();
  });
  std::clock_t before = std::clock(); // of all threads
  ASSERT_TRUE((*prefetcher)->next().ok());
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
  opener.join();
}

// Two readers and a prefetch thread on one lazily drawn set: each sees what
// drawDigit() gives.
TEST(Prefetcher, SharesDigitsWithOtherReaders) {
  Result<DataSource> source = openDigits({.train = 256, .test = 1, .seed = 3});
  ASSERT_TRUE(source.ok());
  const Dataset &data = *source->train;
  Arenas arenas(16, 3, kDigitBytes);
  auto prefetcher =
      Prefetcher::create(data, half({1, 28, 28}), Sampler(256, 7, false),
                         arenas.layout, arenas.bases());
  ASSERT_TRUE(prefetcher.ok());
  (*prefetcher)->start(0);
  std::atomic<int> wrong = 0;
  auto reader = [&] {
    uint8_t expected[kDigitBytes];
    for (int64_t i = 0; i < data.size(); ++i) {
      drawDigit(3, DigitsSplit::Train, i, data.label(i), expected);
      wrong += !std::equal(expected, expected + kDigitBytes, data.sample(i));
    }
  };
  std::thread one(reader), two(reader);
  for (int batches = 0; batches < 16; ++batches) {
    Result<Batch> batch = (*prefetcher)->next();
    ASSERT_TRUE(batch.ok());
    const uint8_t *last = data.sample(batch->first + 15);
    for (int64_t j = 0; j < kDigitBytes; ++j)
      ASSERT_EQ(arenas.features(*batch)[15 * kDigitBytes + j], last[j] * 0.5f);
  }
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
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
  layout.labelsOffset += 2;
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
            "prefetch: batch arena 0 is null or there twice");
  EXPECT_EQ(errorOf(half(), sampler, good.layout, {base, nullptr},
                    Mode::Background, ExitCode::Internal),
            "prefetch: batch arena 1 is null or there twice");
}

} // namespace
} // namespace boostrt
