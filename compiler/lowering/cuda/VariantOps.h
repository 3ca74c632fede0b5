// VariantOps.h - what the variants of a function have in common.
//
// A step that refreshes THOR's inverses does what every other step does, and
// more. Where no kernel holds ops of both kinds, all variants have the kernels
// of what they have in common.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace boostc {

/// Which variants of a function have ops like one of its ops: equal but for the
/// buffers that they are about. Variants are what micro-batches run in steps
/// that update the same parameters, and what updates these. (What is for other
/// parameters is sorted by them, see BufferUsers.)
class VariantOps {
public:
  explicit VariantOps(train::ProgramOp program);

  /// Empty where the function of `op` has no variants.
  llvm::SmallBitVector getVariants(mlir::Operation *op) const;

private:
  void add(unsigned group, llvm::ArrayRef<mlir::func::FuncOp> functions);

  llvm::DenseMap<mlir::Operation *, unsigned> groups; ///< by function
  /// By group and hash of the op.
  llvm::DenseMap<std::pair<unsigned, size_t>, llvm::SmallBitVector> variants;
};

} // namespace boostc
