// BatchArenas.h - a small data set, the memory for its batches and what must
// stand in it: for the tests of prefetching.
#pragma once

#include "runtime/data/Prefetcher.h"

#include <atomic>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace boostrt {

inline constexpr int64_t kPixels = 6;

/// Sample i has the bytes 10 i, 10 i + 1, ... and the label i % 5.
inline std::unique_ptr<Dataset> countingData(int64_t size) {
  OwnedBytes bytes = allocateBytes(size * kPixels);
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    labels.push_back(static_cast<int32_t>(i % 5));
    for (int64_t j = 0; j < kPixels; ++j)
      bytes[i * kPixels + j] = static_cast<uint8_t>(10 * i + j);
  }
  return std::make_unique<MemoryDataset>(SampleShape{1, 2, 3}, size,
                                         std::move(bytes), std::move(labels),
                                         "images.bin", "labels.bin");
}

/// The same, whose samples can be held back, and which counts them.
class GatedData final : public Dataset {
public:
  explicit GatedData(int64_t size) : GatedData(countingData(size)) {}
  const uint8_t *sample(int64_t index) const override {
    asked.fetch_add(1);
    asked.notify_all();
    open.wait(false);
    return data_->sample(index);
  }
  void waitForAsked(int64_t count) const {
    for (int64_t now = asked; now < count; now = asked)
      asked.wait(now);
  }
  mutable std::atomic<int64_t> asked = 0;
  mutable std::atomic<bool> open = true;

private:
  explicit GatedData(std::unique_ptr<Dataset> data)
      : Dataset(data->shape(), data->size(), labelsOf(*data), "gated", "gated"),
        data_(std::move(data)) {}
  static std::vector<int32_t> labelsOf(const Dataset &data) {
    std::vector<int32_t> labels;
    for (int64_t i = 0; i < data.size(); ++i)
      labels.push_back(data.label(i));
    return labels;
  }

  std::unique_ptr<Dataset> data_;
};

inline TransformPipeline half(SampleShape shape = {1, 2, 3}) {
  return TransformPipeline::create(
             nlohmann::json::parse(R"([{"op":"rescale","scale":0.5}])"), shape)
      .value();
}

/// Arenas with a canary after them and the layout features, labels, valid.
struct Arenas {
  int64_t batch;
  std::vector<std::vector<std::byte>> memory;
  BatchLayout layout;

  Arenas(int64_t batch, int copies, int64_t elements = kPixels) : batch(batch) {
    layout.batchSize = batch;
    layout.samplesOffset = 64;
    layout.labelsOffset = layout.samplesOffset + batch * elements * 4 + 64;
    layout.validOffset = *layout.labelsOffset + batch * 4 + 64;
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
    return reinterpret_cast<float *>(batch.base + layout.samplesOffset);
  }
  const int32_t *labels(const Batch &batch) const {
    return reinterpret_cast<int32_t *>(batch.base + *layout.labelsOffset);
  }
  int32_t valid(const Batch &batch) const {
    return *reinterpret_cast<int32_t *>(batch.base + layout.validOffset);
  }
  /// Bytes outside the three tensors are as they were.
  void expectIntact(int64_t elements = kPixels) const {
    for (const auto &arena : memory)
      for (size_t i = 0; i < arena.size(); ++i) {
        bool inside = (i >= layout.samplesOffset &&
                       i < layout.samplesOffset + batch * elements * 4) ||
                      (i >= *layout.labelsOffset &&
                       i < *layout.labelsOffset + batch * 4) ||
                      (i >= layout.validOffset && i < layout.validOffset + 4);
        if (!inside) {
          ASSERT_EQ(arena[i], std::byte{0xcd}) << i;
        }
      }
  }
};

inline void expectRows(const Arenas &arenas, const Batch &batch,
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

} // namespace boostrt
