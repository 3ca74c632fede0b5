// EmitDampedInverse.h - rt.damped_inverse as loops.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/IR/Builders.h"

namespace boostc {

/// What rt.damped_inverse reads and writes, as a kernel has it.
struct DampedInverseBuffers {
  mlir::Value matrices, weight, damping, inverses, failed;
};

/// Inverts matrices [begin, end) at the insertion point, in vectors of up to
/// `maxLanes`.
void emitDampedInverse(mlir::OpBuilder &builder, mlir::Location loc,
                       const DampedInverseBuffers &buffers, int64_t maxLanes,
                       mlir::Value begin, mlir::Value end);

} // namespace boostc
