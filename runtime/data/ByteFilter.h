// ByteFilter.h - images of bytes in another size, without aliasing, bit for bit
// as Pillow's resize(..., BILINEAR) makes them.
//
// Along one axis from `in` to `out` pixels, with r = in / out and s = max(r,
// 1), pixel i is the mean of the pixels j with the weights max(0, 1 - |j + 0.5
// - (i + 0.5) r| / s). Weights are rounded to 22 bits after the point, a mean
// to the nearest byte; rows first, then columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boostrt {

class ByteFilter {
public:
  /// The weights of `out` pixels in the place of `extent` that begin at
  /// `begin`, of an axis of `pixels`. Only `count` outputs from `first` on are
  /// wanted.
  void set(int64_t pixels, double begin, double extent, int64_t out,
           int64_t first, int64_t count);

  int64_t size() const { return static_cast<int64_t>(outputs_.size()); }

  /// What output `i` reads: pixels from `low`, one for each weight.
  struct Output {
    int64_t low;
    size_t begin, end; ///< of weights()
    int64_t high() const { return low + static_cast<int64_t>(end - begin); }
  };
  const Output &output(int64_t i) const {
    return outputs_[static_cast<size_t>(i)];
  }
  const int32_t *weights() const { return weights_.data(); }

  static constexpr int kBits = 22;
  /// What is added to the sum of weighted bytes before it is shifted.
  static constexpr int32_t kHalf = 1 << (kBits - 1);
  static uint8_t toByte(int32_t sum) {
    int32_t value = sum >> kBits;
    return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
  }

private:
  std::vector<Output> outputs_;
  std::vector<int32_t> weights_;
  std::vector<double> exact_; ///< of one output
};

} // namespace boostrt
