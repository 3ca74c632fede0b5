// Matmuls.h - matmuls and batched matmuls in linalg, with the kernels of
// convolutions of one tap.
#pragma once

#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace boostc {

/// The kernel of matmuls, on memrefs, that overwrites their result, in shares
/// for `threads` threads: right only where the result was zero. None where `op`
/// computes something else, too little for a kernel of its own, or has no loop
/// for vectors.
std::optional<OpKernel> planMatmuls(mlir::linalg::GenericOp op,
                                    VectorRegisters registers, int64_t threads);

/// Whether the kernel of matmuls, on tensors, will multiply bf16 if that is what
/// their factors are stored in.
bool multipliesBFloat16(mlir::linalg::GenericOp op, VectorRegisters registers);

/// The only op that can see the zeros of `fill`, which adds to them: where it
/// overwrites them instead, the fill can be erased. Null if something else may
/// see them.
mlir::linalg::GenericOp findOverwritingGeneric(mlir::linalg::FillOp fill);

} // namespace boostc
