// Contributions.h - what ranks bring to a sum, and the sum by its definition.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace boostrt::test {

/// What rank `rank` brings; its order of addition shows in the last bits.
inline std::vector<float> contribution(uint32_t rank, size_t size) {
  std::vector<float> values(size);
  uint64_t state = rank + 1;
  for (float &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX
    value = std::ldexp(float(state >> 52) - 2047, int(state >> 40 & 15));
  }
  return values;
}

/// The definition in Collectives.h, word by word.
inline std::vector<float> definition(uint32_t lo, uint32_t hi, size_t size) {
  if (hi - lo == 1)
    return contribution(lo, size);
  uint32_t half = 1;
  while (half * 2 < hi - lo)
    half *= 2;
  std::vector<float> sum = definition(lo, lo + half, size);
  std::vector<float> second = definition(lo + half, hi, size);
  for (size_t i = 0; i < size; ++i)
    sum[i] += second[i];
  return sum;
}

inline ::testing::AssertionResult sameBits(std::span<const float> a,
                                           std::span<const float> b) {
  if (a.size() != b.size())
    return ::testing::AssertionFailure() << a.size() << " and " << b.size();
  for (size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(float)))
      return ::testing::AssertionFailure()
             << "element " << i << ": " << a[i] << " and " << b[i];
  return ::testing::AssertionSuccess();
}

} // namespace boostrt::test
