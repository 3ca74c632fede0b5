// Draws.h - numbers to compute with.
#pragma once

#include "runtime/abi/boost_random.h"

#include <vector>

namespace boostrt {

/// Uniform in [-1, 1); others for another name.
inline std::vector<float> draws(const char *name, int64_t count) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(boost_initial_value(
        BOOSTC_INIT_UNIFORM, -1, 1, 5, boost_random_stream(name), i));
  return values;
}

} // namespace boostrt
