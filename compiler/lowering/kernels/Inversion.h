// Inversion.h - the inversion of a damped matrix, as kernels of all devices do
// it: Gauss-Jordan elimination in the memory of the inverse, without pivoting,
// which definite matrices do not need (dialects/rt/DampedInverse.h). How
// threads and vectors share a matrix each device says itself.
#pragma once

#include "mlir/IR/Builders.h"

namespace boostc {

/// The parts of an inversion, emitted where they are called.
struct InversionParts {
  using Value = mlir::Value;

  /// Stores the matrix times its weight, with `damping` on the diagonal, in the
  /// memory of the inverse.
  llvm::function_ref<void(Value damping)> start;
  /// The element of the diagonal at `column`: of the memory of the inverse, and
  /// of the matrix.
  llvm::function_ref<Value(Value column)> loadPivot, loadDiagonal;
  /// Divides row `column` by the pivot and subtracts it from all others.
  llvm::function_ref<void(Value column, Value pivot)> eliminate;
  /// Stores zeros in the memory of the inverse.
  llvm::function_ref<void()> clear;
};

/// Emits the inversion of a matrix of `size` rows. Returns whether it failed,
/// an i32. All threads that run the code take the same branches.
mlir::Value emitInversion(mlir::OpBuilder &builder, mlir::Location loc,
                          int64_t size, mlir::Value weight, mlir::Value damping,
                          const InversionParts &parts);

} // namespace boostc
