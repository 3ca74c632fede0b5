// MeasuringRanks.h - ranks that measure steps together: processes as training
// starts them, or threads of this one.
#pragma once

#include "runtime/predict/MeasureSteps.h"

#include <optional>
#include <string>

namespace boostrt {

/// measureSteps() on `ranks` threads, connected by their memory.
Result<StepCosts> measureOnThreads(const BoostProgram &program,
                                   const BoostTarget &target, uint32_t threads,
                                   uint32_t ranks, double seconds);

/// The same on processes connected by TCP, which load the program from `file`.
/// The executable's main() calls actAsMeasuringRank().
Result<StepCosts> measureOnProcesses(const std::string &file, uint32_t threads,
                                     uint32_t ranks, double seconds);

/// The exit code of a process that measureOnProcesses() has started, when it
/// has measured; nothing in other processes. To be called before anything else.
std::optional<int> actAsMeasuringRank(int argc, const char *const *argv);

} // namespace boostrt
