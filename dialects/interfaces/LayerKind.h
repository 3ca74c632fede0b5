// LayerKind.h - what ops are to the structure of a network.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace boostc {

enum class LayerKind : uint8_t {
  Contraction, ///< operand 0 with a weight, operand 1: dense, conv2d
  BatchNorm,   ///< normalises by moments over samples, in training or not
  Add,         ///< the sum of its operands
  Concat,      ///< its operands next to each other
  Pool,        ///< fewer positions of the same channels
};

/// Gives an op its LayerKindOpInterface::getLayerKind().
template <LayerKind kind> struct LayerKindTrait {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {
  public:
    LayerKind getLayerKind() { return kind; }
  };
};

} // namespace boostc
