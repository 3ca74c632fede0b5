// FloatTypes.h - the types of what libraries multiply.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <cstdint>

namespace boostrt {

/// What an element of a BoostFloatType takes.
inline uint64_t bytesOfElement(uint32_t type) {
  return type == BOOSTC_FLOAT_F32 ? sizeof(float) : sizeof(uint16_t);
}

} // namespace boostrt
