// Transposition.h - copies that turn rows into columns.
#pragma once

#include "compiler/lowering/cpu/OpKernels.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace boostc {

/// The kernel of a copy whose elements are neighbours along one loop where it
/// reads and along another where it writes: squares of vectors are transposed
/// in registers, so that no cache line is touched for the sake of one element.
/// Nothing for any other op, or where squares would be nearly empty.
std::optional<OpKernel> planTransposition(mlir::linalg::GenericOp op,
                                          int64_t maxLanes);

} // namespace boostc
