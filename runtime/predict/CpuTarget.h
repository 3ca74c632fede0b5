// CpuTarget.h - a program's code for CPUs.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <span>

namespace boostrt {

/// Null where it has none.
inline const BoostTarget *cpuTarget(const BoostProgram &program) {
  for (const BoostTarget &target :
       std::span(program.targets, program.target_count))
    if (target.kind == BOOST_TARGET_CPU)
      return &target;
  return nullptr;
}

} // namespace boostrt
