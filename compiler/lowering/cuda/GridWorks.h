// GridWorks.h - the ops of phase buffers as work for a grid.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"

#include <memory>

namespace boostc {

/// A work and the plan that it runs by.
struct GridPart {
  std::unique_ptr<GridWork> work;
  GridPlan plan;
};

/// The work of `op`, a linalg.generic, a sum of products or a walk over rows on
/// buffers, as the parts of one launch; `buffers` maps its operands, and what
/// its body reads from outside, to the kernel's when code is emitted. Fails,
/// with a diagnostic, when there is none for the op.
llvm::FailureOr<GridPart> buildGridPart(mlir::Operation *op,
                                        const mlir::IRMapping &buffers);

} // namespace boostc
