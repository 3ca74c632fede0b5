// Floats.h - what the float families share: NaN, denormals, saturation, and
// precisions that are less.
#pragma once

#include "runtime/support/LowFloats.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace boostrt::sim {

/// Arithmetic on f32 that yields a NaN yields this one; payloads are not kept.
[[gnu::always_inline]] inline float canonical(float value) {
  return value != value ? std::bit_cast<float>(0x7fffffffu) : value;
}
/// f64 keeps the payload of an operand on either side; nothing to do.
[[gnu::always_inline]] inline double canonical(double value) { return value; }

/// `.ftz`: a denormal counts as zero of its sign.
[[gnu::always_inline]] inline float flush(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u)
                                   : value;
}

/// `.sat`: into [0, 1], NaN to +0.
[[gnu::always_inline]] inline float saturate(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}
[[gnu::always_inline]] inline double saturate(double value) {
  return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

/// To 10 bits after the leading one, to nearest, away from zero in the middle:
/// the one way to tf32 that NVIDIA documents bit by bit (PTX's
/// cvt.rna.tf32.f32). A carry goes into the exponent, up to infinity.
inline float roundToTf32(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u)
    return value; // infinite, or no number
  return std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
}

} // namespace boostrt::sim
