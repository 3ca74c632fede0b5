// Clock.h - durations of what is measured.
#pragma once

#include <chrono>

namespace boostrt {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace boostrt
