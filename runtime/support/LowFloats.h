// LowFloats.h - f16 and bf16 in software: what CPUs and GPUs do, bit by bit.
#pragma once

#include <bit>
#include <cstdint>

namespace boostrt {

float halfToFloat(uint16_t bits);
/// Round to nearest even; NaN to 0x7fff.
uint16_t floatToHalf(float value);
inline float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
/// Likewise.
uint16_t floatToBfloat(float value);

} // namespace boostrt
