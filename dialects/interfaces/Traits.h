// Traits.h - facts about ops that rewrites rely on.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace boostc {

/// The op is one function of one number, applied to every element, that never
/// decreases and keeps a NaN: it commutes with a maximum.
template <typename ConcreteType>
class MonotonicTrait
    : public mlir::OpTrait::TraitBase<ConcreteType, MonotonicTrait> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return op->emitOpError(
          "does not map one tensor to a tensor of the same type");
    return llvm::success();
  }
};

/// The op's first two operands are the factors of a contraction: a library may
/// round them to the program's matmul precision.
template <typename ConcreteType>
class ContractionTrait
    : public mlir::OpTrait::TraitBase<ConcreteType, ContractionTrait> {};

} // namespace boostc
