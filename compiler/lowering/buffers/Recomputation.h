// Recomputation.h - values of a step that are computed again instead of being
// kept, and what that costs: on tensors, in phase linalg.
#pragma once

#include "dialects/train/TrainDialect.h"
#include <vector>

namespace boostc {

/// What ops compute, and move between memory and kernels.
struct ComputeCost {
  int64_t flops = 0;
  int64_t bytes = 0;

  ComputeCost &operator+=(const ComputeCost &other);
  /// One number to compare by, in flops. A processor computes 16 flops or so in
  /// the time in which it moves a byte, CPUs and GPUs alike.
  double weigh() const;
};

/// The cost of a function in phase `linalg`.
ComputeCost estimateCost(mlir::func::FuncOp function);

/// What became of a program after so many values.
struct RecomputeTrace {
  struct Step {
    /// The most bytes of temporaries alive at once in a function.
    int64_t peak = 0;
    /// All that is computed again in a call of each function.
    ComputeCost cost = {};
  };
  /// By the number of values computed again, from 0.
  std::vector<Step> steps;

  uint64_t count() const { return steps.size() - 1; }
  /// The fewest values with the lowest peak.
  uint64_t findLowest() const;
};

/// Computes `most` values of `program` again, or as many as lower the peak. The
/// first of them are the same for any `most`.
RecomputeTrace recompute(train::ProgramOp program, uint64_t most);

} // namespace boostc
