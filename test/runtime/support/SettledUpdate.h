// SettledUpdate.h - an update and what it left, for tests that look at once.
#pragma once

#include "runtime/trainer/Execution.h"

namespace boostrt {

inline Result<StepResults> settledUpdate(Execution &execution,
                                         int64_t globalStep) {
  if (auto before = execution.update(globalStep); !before.ok())
    return before.status();
  return execution.settle();
}

} // namespace boostrt
