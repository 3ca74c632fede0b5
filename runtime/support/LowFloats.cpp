#include "runtime/support/LowFloats.h"

namespace boostrt {

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) // fraction * 2^-24 is exact
    return std::bit_cast<float>(
        sign | std::bit_cast<uint32_t>(float(fraction) * 0x1p-24f));
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude >= 0x477ff000u) // 65520 and more rounds to infinity
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000u) { // below 2^-14: a multiple of 2^-24
    // Adding 0.5 puts the unit of the last place at 2^-24, and rounds to it.
    uint32_t sum =
        std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
    return static_cast<uint16_t>(sign | (sum - 0x3f000000u));
  }
  uint32_t odd = magnitude >> 13 & 1;
  return static_cast<uint16_t>(
      sign | ((magnitude + 0xfff + odd - (112u << 23)) >> 13));
}

uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000u)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace boostrt
