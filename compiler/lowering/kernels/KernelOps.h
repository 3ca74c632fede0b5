// KernelOps.h - what every way to make kernels asks of the ops of phase
// buffers.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace boostc {

/// `op` as a loop nest over elements: itself, or what replaces a named linalg
/// op or a copy. Null for anything else.
mlir::linalg::GenericOp generalizeToLoops(mlir::RewriterBase &rewriter,
                                          mlir::Operation *op);

/// Whether `op` is a buffer or a constant, which costs nothing.
bool isBufferOrConstant(mlir::Operation *op);

/// Calls `act` with every op that uses `buffer`, itself or through views.
void forEachUser(mlir::Value buffer,
                 llvm::function_ref<void(mlir::Operation *)> act);

/// The buffer at the end of a chain of views.
mlir::Value getViewedBuffer(mlir::Value value);

/// The planned buffer that `value` is, or is a view of; null when it is none.
rt::BufferOp getBase(mlir::Value value);

/// Whether two buffers share memory.
bool overlap(rt::BufferOp a, rt::BufferOp b);

/// Whether the updates of `program` have so many rules that kernels are to be
/// about one parameter each, or on GPUs about equal ones. Rules of a shape then
/// share code, which does not grow with the model, and variants of a step that
/// update other parameters have kernels in common. It costs launches, by which
/// small models gain more.
bool hasManyRules(train::ProgramOp program);

/// Whether an op is about a parameter that accesses `buffer` so: it changes one
/// or a state of its shape, adds up gradients of two micro-batches or reads a
/// gradient.
bool isAboutParameters(rt::BufferOp buffer, bool isWritten);

/// Makes what `op` uses from outside available in a kernel: planned buffers are
/// in `mapping` already, views and constants are cloned.
void cloneViews(mlir::OpBuilder &builder, mlir::Operation *op,
                mlir::IRMapping &mapping);

} // namespace boostc
