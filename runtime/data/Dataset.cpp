#include "runtime/data/Dataset.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace boostrt {

std::string toString(const SampleShape &shape) {
  if (shape.isOfAnySize())
    return "images of any size";
  return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
}

std::string toString(std::span<const int64_t> extents) {
  return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, "x"));
}

void prefetchBytes(const uint8_t *sample, int64_t bytes) {
  constexpr int64_t kMost = 1024, kLine = 64;
  for (int64_t i = 0; bytes <= kMost && i < bytes; i += kLine)
    __builtin_prefetch(sample + i);
}

int64_t SampleNumbers::elements() const {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

Dataset::Dataset(SampleShape shape, int64_t size, std::vector<int32_t> labels,
                 std::string source, std::string labelSource,
                 ElementType elementType, SampleNumbers targets,
                 SampleNumbers weights)
    : shape_(shape), elementType_(elementType), size_(size),
      labels_(std::move(labels)), targets_(std::move(targets)),
      weights_(std::move(weights)), source_(std::move(source)),
      labelSource_(std::move(labelSource)) {
  assert(size_ >= 0 && (shape_.elements() > 0 || shape_.isOfAnySize()) &&
         "samples without a shape");
  assert((size_ == 0 ? labels_.empty() : std::ssize(labels_) % size_ == 0) &&
         "labels of another data set");
  assert((!hasTargets() || targets_.samples == size_) &&
         "targets of another data set");
  assert((!hasWeights() || weights_.samples == size_) &&
         "weights of another data set");
  if (hasLabels())
    classes_ = *std::max_element(labels_.begin(), labels_.end()) + 1;
}

Dataset::~Dataset() = default;

const uint8_t *Dataset::sample(int64_t) const { return nullptr; }

void Dataset::prefetch(int64_t) const {}

void Dataset::prefetchLabels(int64_t index) const {
  if (hasLabels())
    __builtin_prefetch(labels(index).data());
}

std::string Dataset::file(int64_t) const { return {}; }

namespace {
/// FNV-1a, 64 bits.
class Fnv {
public:
  void byte(uint8_t value) { hash_ = (hash_ ^ value) * 0x100000001b3ull; }
  /// Little-endian, whatever the machine is.
  void number(int64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      byte(static_cast<uint8_t>(static_cast<uint64_t>(value) >> shift));
  }
  /// Its size, and its name below `directory`.
  void file(const std::string &path, const std::string &directory) {
    for (char letter : path.substr(directory.size()))
      byte(static_cast<uint8_t>(letter));
    std::error_code error;
    number(static_cast<int64_t>(std::filesystem::file_size(path, error)));
  }
  uint64_t hash() const { return hash_; }

private:
  uint64_t hash_ = 0xcbf29ce484222325ull;
};
} // namespace

uint64_t Dataset::fingerprint() const {
  Fnv fnv;
  fnv.number(size());
  fnv.number(shape_.channels);
  fnv.number(shape_.height);
  fnv.number(shape_.width);
  for (int32_t label : labels_) {
    fnv.byte(static_cast<uint8_t>(label));
    fnv.byte(static_cast<uint8_t>(label >> 8));
  }
  int64_t probes = std::min<int64_t>(size(), 64);
  for (int64_t probe = 0; probe < probes; ++probe) {
    int64_t index = probes == 1 ? 0 : probe * (size() - 1) / (probes - 1);
    const uint8_t *bytes = sample(index);
    for (int64_t i = 0; i < bytesPerSample(); ++i)
      fnv.byte(bytes[i]);
    if (shape_.isOfAnySize())
      fnv.file(file(index), source_);
    for (const SampleNumbers *numbers : {&targets_, &weights_})
      for (int64_t i = 0; numbers->samples > 0 && i < numbers->bytesPerSample();
           ++i)
        fnv.byte(numbers->at(index)[i]);
  }
  return fnv.hash();
}

std::string Dataset::contents() const {
  std::string text = toString(shape_);
  if (elementType_ == ElementType::I32)
    text += " integers";
  if (hasLabels())
    text += fmt::format(", {} classes", classes_);
  if (hasTargets())
    text += fmt::format(", targets of {}", toString(targets_.shape));
  if (hasWeights())
    text += fmt::format(", weights of {}", toString(weights_.shape));
  return text;
}

MemoryDataset::MemoryDataset(SampleShape shape, int64_t size, OwnedBytes bytes,
                             std::vector<int32_t> labels, std::string source,
                             std::string labelSource, ElementType elementType,
                             SampleNumbers targets, SampleNumbers weights)
    : Dataset(shape, size, std::move(labels), std::move(source),
              std::move(labelSource), elementType, std::move(targets),
              std::move(weights)),
      bytes_(std::move(bytes)) {}

void MemoryDataset::prefetch(int64_t index) const {
  prefetchBytes(sample(index), bytesPerSample());
}

} // namespace boostrt
