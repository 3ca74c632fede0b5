// FloatFixture.h - the host's arithmetic in a chosen rounding mode.
#pragma once

#include "OpcodeFixture.h"

#include <cfenv>

namespace boostrt::sim {

template <class T> T host(T value) { // keeps the host from folding
  volatile T kept = value;
  return kept;
}

template <class T, class F> auto inMode(int mode, F function) {
  return [=](auto... values) {
    std::fesetround(mode);
    volatile T result = function(values...);
    std::fesetround(FE_TONEAREST);
    return static_cast<T>(result);
  };
}

struct Mode {
  const char *name;
  int mode;
};
inline constexpr Mode kModes[] = {{"rn", FE_TONEAREST},
                                  {"rz", FE_TOWARDZERO},
                                  {"rm", FE_DOWNWARD},
                                  {"rp", FE_UPWARD}};

} // namespace boostrt::sim
