// MatrixSums.h - products of matrices in linalg, one or many of them, with the
// kernels of convolutions of one tap.
#pragma once

#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace boostc {

/// The kernel of a product of matrices, on memrefs, whose output is zero
/// before, in shares for `threads` threads. None where `op` computes something
/// else, too little for a kernel of its own, or has no loop for vectors.
std::optional<OpKernel> planMatrixSums(mlir::linalg::GenericOp op,
                                       VectorRegisters registers,
                                       int64_t threads);

/// What `fill` sets to zero and nothing but a product of matrices meets next,
/// which computes it anew; null without.
mlir::linalg::GenericOp getProductOfZero(mlir::linalg::FillOp fill);

} // namespace boostc
