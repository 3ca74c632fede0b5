// Strides.h - which ops read and write memory through its strides.
#pragma once

#include "mlir/IR/Operation.h"

namespace boostc {

/// Whether the op that owns `operand`, a buffer, reads and writes it through
/// its strides, whatever these are.
bool followsStrides(mlir::OpOperand &operand);

/// Whether the op that owns `use`, of a buffer, writes to it.
bool isWritten(mlir::OpOperand &use);

} // namespace boostc
