// LayerCosts.h - what each layer of a model has and costs, by the names that
// locations carry and by CostOpInterface.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc::report {

/// Cost of one micro-batch.
struct Work {
  int64_t flops = 0;
  int64_t bytes = 0; ///< read and written

  void add(mlir::Operation *op);
  Work &operator+=(const Work &other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

/// Everything of @forward under one name of the model file.
struct LayerCost {
  std::string name;
  std::string op;    ///< in the model file, or else that of the output: "dense"
  mlir::Type output; ///< what other layers use, or else of the first op
  std::string outputOp;   ///< whose first result that is: "nn.dense"
  int64_t parameters = 0; ///< elements
  Work forward, backward; ///< of @micro, when asked for
  mlir::Type stored = {}; ///< elements of the output in @micro, likewise
  Work evaluated;         ///< of @forward
};

/// The layers of a program in phase `input`, the loss and metrics at the end.
std::vector<LayerCost> collectLayers(train::ProgramOp program);

/// Adds what @micro of the same program in phase `step` says to `layers`:
/// costs, and the types that mixed precision has chosen; the rest, which is
/// under none of their names, comes back.
Work addStepCosts(train::ProgramOp program, std::vector<LayerCost> &layers);

/// "[1, 28, 28]": without the batch, as the model file would write it.
std::string describeSampleShape(mlir::Type type);

} // namespace boostc::report
