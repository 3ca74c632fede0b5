// ByteResize.h - a bilinear resize of bytes, and all that follows it point by
// point, in integers. Private to this room.
//
// Where the weights of a resize are fractions of a power of two, as from 28 to
// 32 pixels, all that it computes is a multiple of one fraction. So integers
// compute it without rounding, as doubles do, and a table has what the other
// operations make of each of these numbers.
#pragma once

#include "runtime/data/Dataset.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace boostrt::data {

/// One axis of a resize: out[i] = in[low] * (1 - weight) + in[high] * weight.
struct ResizeAxis {
  std::vector<int64_t> low, high;
  std::vector<double> weight;

  /// With half-pixel centres and edges clamped (Transform.h).
  ResizeAxis() = default;
  ResizeAxis(int64_t in, int64_t out);
};

/// Eight neighbours of a resized row, made of 16 neighbours of the row.
struct ResizeGroup {
  int64_t from = 0, to = 0;         ///< the first of both
  std::array<uint8_t, 16> places{}; ///< low and high of each, from `from`
  std::array<int8_t, 16> weights{}; ///< of both
};

class ByteResize {
public:
  /// Numbers of a result: 255 * 2^kMaxBits, and they fit 16 bits.
  static constexpr int kMaxBits = 8;

  /// What `next` (of a number and its channel) makes of a resized pixel, in
  /// floats or bytes. Nothing where the weights are other fractions, or the
  /// tables would be large.
  static std::optional<ByteResize>
  create(const SampleShape &input, const SampleShape &output,
         const ResizeAxis &rows, const ResizeAxis &columns, bool asBytes,
         const std::function<double(double, int64_t)> &next);

  /// Numbers of 16 bits that apply() needs.
  int64_t scratchElements() const {
    return (input_.height + 1) * output_.width;
  }

  /// Writes the result of an image, floats or bytes. Allocates nothing.
  void apply(const uint8_t *image, void *out,
             std::span<uint16_t> scratch) const;

private:
  struct Axis {
    std::vector<int32_t> low, high;
    std::vector<uint16_t> weight; ///< of `high`, in 2^-bits
    int bits = 0;
  };
  ByteResize() = default;
  static std::optional<Axis> inIntegers(const ResizeAxis &axis);
  void makeGroups();
  void resizeRow(const uint8_t *row, uint16_t *out) const;
  template <typename T>
  void write(const uint8_t *image, T *out, const std::vector<T> &tables,
             std::span<uint16_t> scratch) const;

  SampleShape input_, output_;
  Axis rows_, columns_;
  std::vector<ResizeGroup> groups_; ///< of a row; none where they do not fit
  bool isSame_ = true;              ///< one table is for all channels
  std::vector<float> floats_;       ///< by channel
  std::vector<uint8_t> bytes_;
};

#ifdef __x86_64__
/// Makes the groups of a resized row; for CPUs with SSSE3.
void resizeGroups(const uint8_t *row, std::span<const ResizeGroup> groups,
                  uint16_t *out);
#endif

} // namespace boostrt::data
