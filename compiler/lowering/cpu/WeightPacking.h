// WeightPacking.h - copies of convolutions' weights from the order of files
// into the orders that kernels read, and back.
#pragma once

#include "compiler/lowering/cpu/OpKernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {

/// The kernel of a copy between [O, C, KH, KW] as it lies in a file and an
/// order with the taps outermost. Squares of as many elements as vectors pass
/// through vector registers, where they are transposed: no cache line is
/// touched for the sake of one element. Nothing for any other copy; with one
/// tap it is one of Transposition.h.
std::optional<OpKernel> planWeightPacking(mlir::memref::CopyOp copy,
                                          int64_t maxLanes);

} // namespace boostc
