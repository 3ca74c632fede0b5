// MeasureCompute.h - how long the functions of a program take on this machine.
#pragma once

#include "runtime/predict/StepModel.h"

namespace boostrt {

/// Runs steps on generated batches for about `seconds`, or a few when they are
/// long, on `ranks` ranks of `threads` threads at once, each with cores of its
/// own. The medians of the slowest rank. `target` is the program's for CPUs.
/// Fails as CpuDevice does.
Result<ComputeCosts> measureCompute(const BoostProgram &program,
                                    const BoostTarget &target, uint32_t ranks,
                                    uint32_t threads, double seconds);

} // namespace boostrt
