// AccumulatesInPlace.h - how many gradient sets a program's window takes.
#pragma once

#include "runtime/abi/boost_abi.h"

namespace boostrt {

/// Whether micro-batches add to one gradient set, in order, and not as a tree.
inline bool accumulatesInPlace(const BoostProgram &program) {
  return program.reproducible == BOOST_REPRODUCIBLE_OFF;
}

} // namespace boostrt
