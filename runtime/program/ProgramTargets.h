// ProgramTargets.h - the code in a program's tables.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <span>

namespace boostrt {

/// Null where the program has none of that kind.
inline const BoostTarget *findTarget(const BoostProgram &program,
                                     BoostTargetKind kind) {
  for (const BoostTarget &target :
       std::span(program.targets, program.target_count))
    if (target.kind == static_cast<uint32_t>(kind))
      return &target;
  return nullptr;
}

} // namespace boostrt
