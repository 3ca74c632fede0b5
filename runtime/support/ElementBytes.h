// ElementBytes.h - how large elements of the ABI's types are.
#pragma once

#include "runtime/abi/boost_abi.h"

namespace boostrt {

/// Bytes of a BoostDType; 0 for other numbers.
constexpr uint64_t elementBytes(uint32_t dtype) {
  switch (dtype) {
  case BOOSTC_U8:
    return 1;
  case BOOSTC_F32:
  case BOOSTC_I32:
    return 4;
  case BOOSTC_I64:
    return 8;
  default:
    return 0;
  }
}

} // namespace boostrt
