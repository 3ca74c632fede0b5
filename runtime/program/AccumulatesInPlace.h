// AccumulatesInPlace.h - how many gradient sets a program's window takes.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <bit>

namespace boostrt {

/// Whether micro-batches add to one gradient set, in order, and not as a tree.
inline bool accumulatesInPlace(const BoostProgram &program) {
  return program.reproducible == BOOSTC_REPRODUCIBLE_OFF;
}

/// How many gradient sets a window of up to `microBatches` (>= 1) takes: see
/// runtime/trainer/GradientTree.h.
inline uint32_t gradientSets(uint32_t microBatches, bool isInPlace) {
  return isInPlace ? 1 : static_cast<uint32_t>(std::bit_width(microBatches));
}

} // namespace boostrt
