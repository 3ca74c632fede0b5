// KernelLoops.h - a linalg op on buffers as a loop nest.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include <optional>

namespace boostc {

/// In what order an op's loops are nested, and which of them threads share.
struct LoopOrder {
  llvm::SmallVector<unsigned> loops; ///< outermost first
  /// The parallel loop that is cut into pieces; none when every loop is a
  /// reduction.
  std::optional<unsigned> shared;
};

/// How much longer `threads` threads take for a loop of so many equal pieces
/// than if none of them waited for the others.
double estimateIdling(int64_t pieces, int64_t threads);

/// The loop over contiguous memory is innermost, where the vectoriser looks;
/// threads share the outermost parallel loop other than that one, or that one
/// where it is alone. It is an inner one where far fewer of `threads`
/// then wait, as they do for the last of five samples on four threads.
LoopOrder chooseLoopOrder(mlir::linalg::GenericOp op, int64_t threads = 1);

/// Emits the loops of `op`. `buffers` maps its operands, and what its
/// body reads from outside, to the kernel's. With `begin` and
/// `end` the shared loop runs over [begin, end) only. Fails, with a diagnostic,
/// when an operand is indexed by more than sums of loops, factors and
/// constants.
llvm::LogicalResult emitLoops(mlir::OpBuilder &builder,
                              mlir::linalg::GenericOp op,
                              const mlir::IRMapping &buffers,
                              const LoopOrder &order, mlir::Value begin,
                              mlir::Value end);

/// Asks LLVM to leave `loop` as it is: unrolling one around much code, or
/// around sums kept in registers, multiplies code and compile time for nothing.
void disableUnrolling(mlir::scf::ForOp loop);

} // namespace boostc
