// StepEstimate.h - how long a step of a program takes on a CPU.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc {

/// Cycles of the longest kind of step on one thread, from shapes alone, once
/// kernels are launched; 0 where the program has no step.
double estimateStep(train::ProgramOp program);

} // namespace boostc
