// DigitStrokes.h - how the ten digits are written: the styles that Digits.cpp
// distorts. Private to this room.
#pragma once

#include <cstdint>
#include <span>

namespace boostrt::data {

/// A point of a stroke on a sheet of 100 x 100, x to the right, y down. The pen
/// passes through it, smoothly unless it is a corner.
struct StrokePoint {
  uint8_t x, y;
  bool corner = false;
};

using Stroke = std::span<const StrokePoint>;

/// One way of writing a digit, stroke by stroke.
using DigitStyle = std::span<const Stroke>;

/// Most points that any style has.
inline constexpr int kMaxStrokePoints = 24;

/// The styles of `digit`, 0 to 9.
std::span<const DigitStyle> digitStyles(int32_t digit);

} // namespace boostrt::data
