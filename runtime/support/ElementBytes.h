// ElementBytes.h - how large elements of the ABI's types are.
#pragma once

#include "runtime/abi/boost_abi.h"

namespace boostrt {

/// Of a BoostDType; 0 for what is none.
constexpr uint64_t elementBytes(uint32_t dtype) {
  switch (dtype) {
  case BOOST_F32:
  case BOOST_I32:
    return 4;
  case BOOST_I64:
    return 8;
  default:
    return 0;
  }
}

} // namespace boostrt
