// OperandTypes.h - operands whose types are not known to be tensors.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Value.h"

namespace boostc {

/// The type of an operand that an op need not have, or has several of. A text
/// may give these any type, and types of results are inferred before a verifier
/// looks at them. Emits an error and returns null for anything but a tensor.
inline mlir::RankedTensorType getTensorType(std::optional<mlir::Location> loc,
                                            mlir::Value operand) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
  if (!type)
    (void)mlir::emitOptionalError(
        loc, "expected operands that are tensors, found ", operand.getType());
  return type;
}

} // namespace boostc
