// VariantOps.h - what the variants of a function have in common.
//
// A step that refreshes THOR's inverses does what every other step does, and
// more. Where no kernel holds ops of both kinds, all variants have the kernels
// of what they have in common.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/SmallBitVector.h"
#include <memory>

namespace boostc {

/// Which variants of a function have ops like one of its ops: equal but for the
/// buffers that they are about.
class VariantOps {
public:
  explicit VariantOps(llvm::ArrayRef<mlir::func::FuncOp> variants);

  llvm::SmallBitVector getVariants(mlir::Operation *op) const;

private:
  unsigned count;
  llvm::DenseMap<size_t, llvm::SmallBitVector> variants; ///< by hash
};

using VariantOpsOfFunctions =
    llvm::DenseMap<mlir::func::FuncOp, std::shared_ptr<VariantOps>>;

/// Those of what micro-batches run in the variants of a step that update the
/// same parameters, and of what updates these, where there are several
/// functions. What is for other parameters is sorted by them (BufferUsers).
VariantOpsOfFunctions findVariantOps(train::ProgramOp program);

} // namespace boostc
