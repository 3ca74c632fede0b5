// MeasureSteps.h - what the parts of a program's steps cost on this machine:
// its functions, and messages in the state in which a step exchanges them, out
// of step with each other and after computation that has used the caches.
#pragma once

#include "runtime/comm/Transport.h"
#include "runtime/predict/ExchangeCosts.h"
#include "runtime/program/StepModel.h"

namespace boostrt {

/// Several ranks run so many steps at least.
inline constexpr int kMinStepsTogether = 8;

struct StepCosts {
  ComputeCosts compute;
  ExchangeCosts exchange; ///< of a rank alone: 0
};

/// Runs steps on generated batches for about `seconds`, or a few when they are
/// long, as one rank of `threads` threads. `transport` connects the ranks that
/// do so at once, which all call this and get the same costs; null: there is
/// one. `target` is the program's for CPUs. Fails as CpuDevice and exchanges
/// do.
Result<StepCosts> measureSteps(const BoostProgram &program,
                               const BoostTarget &target, uint32_t threads,
                               Transport *transport, double seconds);

} // namespace boostrt
