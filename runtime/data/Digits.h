// Digits.h - a procedural set of distorted handwritten-like digits, 28x28 grey
// levels, so that a machine without MNIST has something real to train on.
//
// A sample is a pure function of (seed, split, index): its strokes are drawn
// from one of several styles per digit, moved point by point, mapped by a
// random affine map, inked with a pen of random width and disturbed by noise,
// gaps and stray marks. All arithmetic is in integers (fixed point), so the
// bytes are the same on every machine and with every compiler. Splits draw from
// different random streams, hence are disjoint draws of one distribution.
// Sample i does not depend on how many there are.
//
// Difficulty is set so that a linear classifier stays below 93 % on the test
// split and the MLP 784-512-512-10 passes 96 %. Measured with seed 1: 87.3 %
// (softmax regression, Adam), 97.7 % (SGD 0.01, batch 32, 10 epochs, inputs
// (x / 255 - 0.1307) / 0.3081).
#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/support/DataSchemes.h"

#include <atomic>

namespace boostrt {

inline constexpr int64_t kDigitSide = 28;
inline constexpr int64_t kDigitBytes = kDigitSide * kDigitSide;

enum class DigitsSplit { Train, Test };

/// Draws one digit: kDigitBytes grey levels, 0 = paper, 255 = ink.
void drawDigit(uint64_t seed, DigitsSplit split, int64_t index, int32_t label,
               uint8_t *pixels);

/// The labels of the first `count` samples. Every ten consecutive samples hold
/// each digit once, in random order.
std::vector<int32_t> digitLabels(uint64_t seed, DigitsSplit split,
                                 int64_t count);

/// A split of digits. Its memory is resident from the start, a sample is drawn
/// when it is first asked for (drawing all before the first step would delay
/// it), by the thread that makes its batch.
class DigitsDataset final : public Dataset {
public:
  /// Null when the memory for the samples cannot be had.
  static std::unique_ptr<DigitsDataset> create(uint64_t seed, DigitsSplit split,
                                               int64_t count);

  const uint8_t *sample(int64_t index) const override;

private:
  enum State : uint8_t { Blank, Drawing, Ready };

  DigitsDataset(uint64_t seed, DigitsSplit split, int64_t count,
                OwnedBytes pixels,
                std::unique_ptr<std::atomic<uint8_t>[]> states);

  uint64_t seed_;
  DigitsSplit split_;
  OwnedBytes pixels_;
  std::unique_ptr<std::atomic<uint8_t>[]> states_;
};

Result<DataSource> openDigits(const DigitsOptions &options);

} // namespace boostrt
