#include "runtime/data/ByteResize.h"

#include <algorithm>
#include <cmath>

namespace boostrt::data {
namespace {

/// A megabyte of floats. More would push what a model computes with out of the
/// second-level cache.
constexpr int64_t kMaxTableNumbers = int64_t{1} << 18;
constexpr int kMaxAxisBits = ByteResize::kMaxBits / 2;
constexpr int64_t kGroup = 8, kWindow = 16;

bool hasGroups() {
#ifdef __x86_64__
  return __builtin_cpu_supports("ssse3");
#else
  return false;
#endif
}

} // namespace

ResizeAxis::ResizeAxis(int64_t in, int64_t out) {
  double ratio = static_cast<double>(in) / static_cast<double>(out);
  for (int64_t i = 0; i < out; ++i) {
    double centre = (static_cast<double>(i) + 0.5) * ratio - 0.5;
    double source = centre < 0 ? 0 : centre;
    auto before = std::min(static_cast<int64_t>(source), in - 1);
    low.push_back(before);
    high.push_back(std::min(before + 1, in - 1));
    weight.push_back(source - static_cast<double>(before));
  }
}

std::optional<ByteResize::Axis> ByteResize::inIntegers(const ResizeAxis &axis) {
  auto isWhole = [](double x) { return x == std::floor(x); };
  Axis found;
  for (double weight : axis.weight)
    while (!isWhole(std::ldexp(weight, found.bits)))
      if (++found.bits > kMaxAxisBits)
        return std::nullopt;
  found.low.assign(axis.low.begin(), axis.low.end());
  found.high.assign(axis.high.begin(), axis.high.end());
  for (double weight : axis.weight)
    found.weight.push_back(
        static_cast<uint16_t>(std::ldexp(weight, found.bits)));
  return found;
}

std::optional<ByteResize>
ByteResize::create(const SampleShape &input, const SampleShape &output,
                   const ResizeAxis &rows, const ResizeAxis &columns,
                   bool asBytes,
                   const std::function<double(double, int64_t)> &next) {
  std::optional<Axis> ofRows = inIntegers(rows),
                      ofColumns = inIntegers(columns);
  if (!ofRows || !ofColumns)
    return std::nullopt;
  ByteResize resize;
  resize.input_ = input;
  resize.output_ = output;
  resize.rows_ = std::move(*ofRows);
  resize.columns_ = std::move(*ofColumns);

  const int bits = resize.rows_.bits + resize.columns_.bits;
  const auto numbers = (int64_t{255} << bits) + 1;
  const double fraction = std::ldexp(1.0, -bits);
  auto value = [&](int64_t i, int64_t channel) {
    return next(static_cast<double>(i) * fraction, channel);
  };
  for (int64_t c = 1; c < input.channels; ++c)
    for (int64_t i = 0; i < numbers && resize.isSame_; ++i)
      resize.isSame_ = value(i, c) == value(i, 0);
  const int64_t tables = resize.isSame_ ? 1 : input.channels;
  if (tables * numbers > kMaxTableNumbers)
    return std::nullopt;
  std::vector<double> values;
  for (int64_t c = 0; c < tables; ++c)
    for (int64_t i = 0; i < numbers; ++i)
      values.push_back(value(i, c));
  if (asBytes)
    for (double value : values)
      resize.bytes_.push_back(static_cast<uint8_t>(value + 0.5));
  else
    resize.floats_.assign(values.begin(), values.end());
  resize.makeGroups();
  return resize;
}

void ByteResize::makeGroups() {
  if (!hasGroups() || input_.width < kWindow || output_.width < kGroup)
    return;
  for (int64_t to = 0; to < output_.width; to += kGroup) {
    ResizeGroup group;
    // The last one may make again what the one before has made.
    group.to = std::min(to, output_.width - kGroup);
    group.from = std::min<int64_t>(columns_.low[static_cast<size_t>(group.to)],
                                   input_.width - kWindow);
    for (size_t i = 0; i < kGroup; ++i) {
      size_t x = static_cast<size_t>(group.to) + i;
      if (columns_.high[x] - group.from >= kWindow)
        return groups_.clear();
      group.places[2 * i] = static_cast<uint8_t>(columns_.low[x] - group.from);
      group.places[2 * i + 1] =
          static_cast<uint8_t>(columns_.high[x] - group.from);
      group.weights[2 * i] =
          static_cast<int8_t>((1 << columns_.bits) - columns_.weight[x]);
      group.weights[2 * i + 1] = static_cast<int8_t>(columns_.weight[x]);
    }
    groups_.push_back(group);
  }
}

void ByteResize::resizeRow(const uint8_t *row, uint16_t *out) const {
#ifdef __x86_64__
  if (!groups_.empty())
    return resizeGroups(row, groups_, out);
#endif
  for (size_t x = 0; x < columns_.low.size(); ++x) {
    int low = row[columns_.low[x]], high = row[columns_.high[x]];
    out[x] = static_cast<uint16_t>((low << columns_.bits) +
                                   columns_.weight[x] * (high - low));
  }
}

template <typename T>
void ByteResize::write(const uint8_t *image, T *out,
                       const std::vector<T> &tables,
                       std::span<uint16_t> scratch) const {
  const auto width = static_cast<size_t>(output_.width);
  const size_t numbers = isSame_ ? 0 : tables.size() / input_.channels;
  uint16_t *index = scratch.data() + input_.height * output_.width;
  for (int64_t c = 0; c < input_.channels; ++c) {
    const T *table = tables.data() + c * numbers;
    for (int64_t y = 0; y < input_.height; ++y, image += input_.width)
      resizeRow(image, scratch.data() + y * output_.width);
    for (size_t y = 0; y < rows_.low.size(); ++y, out += width) {
      const uint16_t *upper = scratch.data() + rows_.low[y] * output_.width;
      const uint16_t *lower = scratch.data() + rows_.high[y] * output_.width;
      const uint16_t down = rows_.weight[y];
      const auto up = static_cast<uint16_t>((1 << rows_.bits) - down);
      for (size_t x = 0; x < width; ++x)
        index[x] = static_cast<uint16_t>(upper[x] * up + lower[x] * down);
      for (size_t x = 0; x < width; ++x)
        out[x] = table[index[x]];
    }
  }
}

void ByteResize::apply(const uint8_t *image, void *out,
                       std::span<uint16_t> scratch) const {
  if (floats_.empty())
    write(image, static_cast<uint8_t *>(out), bytes_, scratch);
  else
    write(image, static_cast<float *>(out), floats_, scratch);
}

} // namespace boostrt::data
