// Preconditioning.h - what thor makes of each weight, and what that costs.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc::report {

/// A weight with factors.
struct PreconditionedWeight {
  std::string parameter;
  std::string a, g; ///< blocks of its factors, "4x128x128"
  int64_t inverseBytes = 0;
  int64_t stepFlops = 0;    ///< of a step between its inverses
  int64_t microFlops = 0;   ///< of a micro-batch of a step to refresh
  int64_t refreshFlops = 0; ///< of that step, once
};

/// Those of a program in phase `step`, in the order of their updates; none
/// where the optimizer is another.
std::vector<PreconditionedWeight>
collectPreconditioned(train::ProgramOp program);

void printPreconditioned(llvm::ArrayRef<PreconditionedWeight> weights,
                         llvm::raw_ostream &os);

} // namespace boostc::report
