// StoredElements.h - types in which linalg.generic ops on tensors store what
// they compute.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace boostc {

/// What the body of a linalg.generic yields for `value`, where that lies in
/// memory of its own; null where another op computes it.
mlir::Value getStoredElement(mlir::Value value);

/// Stores `element`, of the body that yields `value` and of f32 or bf16, in its
/// place. Each linalg.generic that reads `value` converts what it reads to the
/// type that it read before; other users must take the new type.
void storeElement(mlir::Value value, mlir::Value element);

} // namespace boostc
