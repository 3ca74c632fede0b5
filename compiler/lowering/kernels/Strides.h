// Strides.h - which ops read and write memory through its strides, and how a
// buffer gets others.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace boostc {

/// Whether the op that owns `operand`, a buffer, reads and writes it through
/// its strides, whatever these are.
bool followsStrides(mlir::OpOperand &operand);

/// The same of an op that reads or writes a slice of `operand`, of as many
/// dimensions: parts of a concatenation are slices.
bool followsStridesInSlices(mlir::OpOperand &operand);

/// Whether the op that owns `use`, of a buffer, writes to it.
bool isWritten(mlir::OpOperand &use);

/// The type of `value`, a buffer; for a tensor that of row-major memory.
mlir::MemRefType getTypeInMemory(mlir::Value value);

/// `type` with its dimensions in memory in `order`, the innermost last.
mlir::MemRefType getOrdered(mlir::MemRefType type,
                            llvm::ArrayRef<unsigned> order);

/// Gives `buffer` the strides of `type`, and its slices and collapsed views
/// those that follow.
void setStrides(mlir::Value buffer, mlir::MemRefType type);

} // namespace boostc
