// Batches beyond pixels and labels: integers, targets and sample keys.
#include "runtime/abi/boost_random.h"
#include "runtime/data/Prefetcher.h"
#include "test/runtime/data/CountAllocations.h"

#include <cstring>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

using Mode = Prefetcher::Mode;

constexpr int64_t kTokens = 3, kNumbers = 2;

/// Token j of sample i is (7 i + j) % 50; its targets are i + 0.25 and -i, its
/// weight is i / 2.
std::unique_ptr<MemoryDataset> tokenData(int64_t size, int32_t odd = -1) {
  OwnedBytes bytes = allocateBytes(size * kTokens * 4);
  SampleNumbers targets{size, {kNumbers}, {}, "targets.npy"};
  targets.values.reset(new uint8_t[size * kNumbers * 4]);
  SampleNumbers weights{size, {}, {}, "weights.npy"};
  weights.values.reset(new uint8_t[size * 4]);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < kTokens; ++j) {
      auto token = static_cast<int32_t>((7 * i + j) % 50);
      if (odd != -1 && i == 5 && j == 2)
        token = odd;
      std::memcpy(bytes.get() + (i * kTokens + j) * 4, &token, 4);
    }
    float numbers[] = {static_cast<float>(i) + 0.25f, -static_cast<float>(i)};
    std::memcpy(targets.values.get() + i * sizeof numbers, numbers,
                sizeof numbers);
    float weight = static_cast<float>(i) / 2;
    std::memcpy(weights.values.get() + i * sizeof weight, &weight,
                sizeof weight);
  }
  return std::make_unique<MemoryDataset>(
      SampleShape{1, 1, kTokens}, size, std::move(bytes),
      std::vector<int32_t>(), "tokens.npy", "", ElementType::I32,
      std::move(targets), std::move(weights));
}

TransformPipeline none() {
  return TransformPipeline::create(nullptr, {1, 1, kTokens}, ElementType::I32)
      .value();
}

/// Arenas for batches of integers, targets, weights and keys, full of a canary.
struct Memory {
  BatchLayout layout;
  std::vector<std::vector<std::byte>> arenas;

  Memory(int64_t batch, int copies) {
    layout.batchSize = batch;
    layout.samplesOffset = 64;
    layout.targetsOffset = layout.samplesOffset + batch * kTokens * 4 + 64;
    layout.weightsOffset = *layout.targetsOffset + batch * kNumbers * 4 + 64;
    layout.keysOffset = *layout.weightsOffset + batch * 4 + 64;
    layout.validOffset = *layout.keysOffset + batch * 4 + 64;
    layout.indexClasses = 50;
    arenas.assign(copies, std::vector<std::byte>(layout.validOffset + 68,
                                                 std::byte{0xcd}));
  }
  std::vector<std::byte *> bases() {
    std::vector<std::byte *> bases;
    for (auto &arena : arenas)
      bases.push_back(arena.data());
    return bases;
  }
  template <typename T>
  static T at(const Batch &batch, uint64_t offset, int64_t index) {
    T value;
    std::memcpy(&value, batch.base + offset + index * sizeof value,
                sizeof value);
    return value;
  }
  int32_t token(const Batch &batch, int64_t row, int64_t j) const {
    return at<int32_t>(batch, layout.samplesOffset, row * kTokens + j);
  }
  float number(const Batch &batch, int64_t row, int64_t j) const {
    return at<float>(batch, *layout.targetsOffset, row * kNumbers + j);
  }
  int32_t key(const Batch &batch, int64_t row) const {
    return at<int32_t>(batch, *layout.keysOffset, row);
  }
  void expectIntact() const {
    int64_t batch = layout.batchSize;
    const std::pair<uint64_t, int64_t> tensors[] = {
        {layout.samplesOffset, batch * kTokens * 4},
        {*layout.targetsOffset, batch * kNumbers * 4},
        {*layout.weightsOffset, batch * 4},
        {*layout.keysOffset, batch * 4},
        {layout.validOffset, 4}};
    for (const auto &arena : arenas)
      for (size_t i = 0; i < arena.size(); ++i) {
        bool inside = false;
        for (auto [offset, bytes] : tensors)
          inside |= i >= offset && i < offset + bytes;
        if (!inside) {
          ASSERT_EQ(arena[i], std::byte{0xcd}) << i;
        }
      }
  }
};

class PrefetcherInputs : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(, PrefetcherInputs,
                         testing::Values(Mode::Background, Mode::Inline),
                         [](const auto &info) {
                           return info.param == Mode::Inline ? "Inline"
                                                             : "Background";
                         });

TEST_P(PrefetcherInputs, IntegersTargetsAndKeys) {
  for (int64_t size : {8, 11, 3}) {
    auto data = tokenData(size);
    Sampler sampler(size, 7, true);
    Memory memory(4, 2);
    auto prefetcher = Prefetcher::create(*data, none(), sampler, memory.layout,
                                         memory.bases(), GetParam());
    ASSERT_TRUE(prefetcher.ok()) << prefetcher.status().message();
    for (int64_t epoch : {1, 2, 9}) {
      (*prefetcher)->start(epoch);
      for (int64_t first = 0; first < size; first += 4) {
        Result<Batch> batch = (*prefetcher)->next();
        ASSERT_TRUE(batch.ok()) << batch.status().message();
        ASSERT_EQ(batch->valid, std::min<int64_t>(4, size - first));
        EXPECT_EQ(Memory::at<int32_t>(*batch, memory.layout.validOffset, 0),
                  batch->valid);
        for (int64_t row = 0; row < 4; ++row) {
          bool real = row < batch->valid;
          int64_t sample = real ? sampler.at(epoch, first + row) : 0;
          for (int64_t j = 0; j < kTokens; ++j)
            EXPECT_EQ(memory.token(*batch, row, j),
                      real ? (7 * sample + j) % 50 : 0);
          EXPECT_EQ(
              Memory::at<float>(*batch, *memory.layout.weightsOffset, row),
              static_cast<float>(sample) / 2);
          EXPECT_EQ(memory.number(*batch, row, 0),
                    real ? static_cast<float>(sample) + 0.25f : 0);
          EXPECT_EQ(memory.number(*batch, row, 1),
                    real ? -static_cast<float>(sample) : 0);
          EXPECT_EQ(static_cast<uint32_t>(memory.key(*batch, row)),
                    real ? boost_sample_key(7, epoch, sample) : 0);
        }
      }
      EXPECT_TRUE((*prefetcher)->next()->end());
    }
    memory.expectIntact();
  }
}

/// The key of every sample of an epoch, in batches of `batch` rows from
/// position `from` on; samples are told by their first target.
std::map<int64_t, int32_t> keysOf(int64_t batch, int64_t epoch, int64_t from,
                                  bool shuffle) {
  auto data = tokenData(40);
  Memory memory(batch, 2);
  auto prefetcher =
      Prefetcher::create(*data, none(), Sampler(40, 11, shuffle), memory.layout,
                         memory.bases(), Mode::Inline)
          .value();
  std::map<int64_t, int32_t> keys;
  prefetcher->start(epoch, from);
  for (Batch next = *prefetcher->next(); !next.end();
       next = *prefetcher->next())
    for (int64_t row = 0; row < next.valid; ++row)
      keys[static_cast<int64_t>(memory.number(next, row, 0))] =
          memory.key(next, row);
  return keys;
}

TEST(PrefetcherKeys, BelongToTheSampleAndTheEpoch) {
  std::map<int64_t, int32_t> keys = keysOf(8, 3, 0, true);
  ASSERT_EQ(keys.size(), 40u);
  for (int64_t batch : {1, 3, 7, 40, 64})
    EXPECT_EQ(keysOf(batch, 3, 0, true), keys) << batch;
  EXPECT_EQ(keysOf(8, 3, 0, /*shuffle=*/false), keys);
  std::map<int64_t, int32_t> resumed = keysOf(8, 3, 24, true);
  EXPECT_EQ(resumed.size(), 16u);
  for (auto [sample, key] : resumed)
    EXPECT_EQ(key, keys[sample]);
  std::map<int64_t, int32_t> later = keysOf(8, 4, 0, true);
  std::map<int32_t, int> seen;
  for (auto [sample, key] : keys) {
    EXPECT_NE(later[sample], key);
    ++seen[key];
  }
  EXPECT_EQ(seen.size(), 40u) << "two samples with one key";
}

TEST_P(PrefetcherInputs, AnIntegerOutOfRangeComesInItsPlace) {
  for (int32_t odd : {50, 51, INT32_MAX, -2, INT32_MIN}) {
    auto data = tokenData(10, odd);
    Memory memory(4, 3);
    auto prefetcher =
        Prefetcher::create(*data, none(), Sampler(10, 7, false), memory.layout,
                           memory.bases(), GetParam());
    ASSERT_TRUE(prefetcher.ok());
    (*prefetcher)->start(0);
    ASSERT_TRUE((*prefetcher)->next().ok());
    for (int again = 0; again < 2; ++again) {
      Result<Batch> batch = (*prefetcher)->next();
      ASSERT_FALSE(batch.ok());
      EXPECT_EQ(batch.status().code(), ExitCode::Data);
      EXPECT_EQ(batch.status().message(),
                "tokens.npy: found " + std::to_string(odd) +
                    " in sample 5 at position 2, expected 0 to 49 because the "
                    "model's input has 50 classes; check that the data set "
                    "belongs to this model");
    }
    (*prefetcher)->start(0, 6); // forgotten
    EXPECT_TRUE((*prefetcher)->next().ok());
  }
}

TEST_P(PrefetcherInputs, SamplesAlone) {
  auto data = tokenData(10);
  Memory memory(4, 2);
  uint64_t targets = *memory.layout.targetsOffset;
  uint64_t weights = *memory.layout.weightsOffset;
  uint64_t keys = *memory.layout.keysOffset;
  memory.layout.targetsOffset.reset();
  memory.layout.weightsOffset.reset();
  memory.layout.keysOffset.reset();
  auto prefetcher =
      Prefetcher::create(*data, none(), Sampler(10, 7, false), memory.layout,
                         memory.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok()) << prefetcher.status().message();
  (*prefetcher)->start(0);
  for (Result<Batch> batch = (*prefetcher)->next(); !batch->end();
       batch = (*prefetcher)->next()) {
    EXPECT_EQ(memory.token(*batch, 0, 0), 7 * batch->first % 50);
    // What has no offset is not written.
    for (uint64_t i = 0; i < 4 * kNumbers * 4; ++i)
      ASSERT_EQ(batch->base[targets + i], std::byte{0xcd});
    for (uint64_t i = 0; i < 4 * 4; ++i) {
      ASSERT_EQ(batch->base[weights + i], std::byte{0xcd});
      ASSERT_EQ(batch->base[keys + i], std::byte{0xcd});
    }
  }
}

TEST_P(PrefetcherInputs, AllocatesNothingPerStep) {
  auto data = tokenData(64);
  Memory memory(4, 3);
  auto prefetcher =
      Prefetcher::create(*data, none(), Sampler(64, 7, true), memory.layout,
                         memory.bases(), GetParam());
  ASSERT_TRUE(prefetcher.ok());
  int64_t batches = 0, before = allocationCount();
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    (*prefetcher)->start(epoch);
    for (Result<Batch> batch = (*prefetcher)->next(); !batch->end();
         batch = (*prefetcher)->next())
      ++batches;
  }
  EXPECT_EQ(allocationCount() - before, 0);
  EXPECT_EQ(batches, 64);
}

TEST(PrefetcherInputErrors, Arguments) {
  auto data = tokenData(10);
  Memory memory(4, 2);
  auto errorOf = [&](const BatchLayout &layout) {
    auto prefetcher = Prefetcher::create(*data, none(), Sampler(10, 0, true),
                                         layout, memory.bases());
    EXPECT_FALSE(prefetcher.ok());
    EXPECT_EQ(prefetcher.status().code(), ExitCode::Internal);
    return prefetcher.status().message();
  };
  BatchLayout layout = memory.layout;
  layout.indexClasses = 0;
  EXPECT_EQ(errorOf(layout), "prefetch: integers of 0 classes");
  layout = memory.layout;
  layout.labelsOffset = 0;
  layout.classes = 10;
  EXPECT_EQ(errorOf(layout), "prefetch: labels of a data set without any");
  for (auto offset : {&BatchLayout::targetsOffset, &BatchLayout::weightsOffset,
                      &BatchLayout::keysOffset}) {
    layout = memory.layout;
    *(layout.*offset) += 2;
    EXPECT_EQ(errorOf(layout), "prefetch: offsets that are not multiples of 4");
  }
  MemoryDataset pixels({1, 1, 1}, 1, allocateBytes(1), {0}, "images.bin",
                       "labels.bin");
  auto pipeline = TransformPipeline::create(nullptr, {1, 1, 1}).value();
  auto prefetcher = Prefetcher::create(pixels, pipeline, Sampler(1, 0, true),
                                       memory.layout, memory.bases());
  ASSERT_FALSE(prefetcher.ok());
  EXPECT_EQ(prefetcher.status().message(),
            "prefetch: targets of a data set without any");
  layout = memory.layout;
  layout.targetsOffset.reset();
  prefetcher = Prefetcher::create(pixels, pipeline, Sampler(1, 0, true), layout,
                                  memory.bases());
  ASSERT_FALSE(prefetcher.ok());
  EXPECT_EQ(prefetcher.status().message(),
            "prefetch: weights of a data set without any");
}

} // namespace
} // namespace boostrt
