// Precision.h - types of fewer bits than f32, and what ops make of them.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace boostc {

/// When operands of an op, and its first result, are of the low type of a
/// program with mixed precision.
enum class PrecisionKind : uint8_t {
  Low,       ///< at every level: contractions, relu
  Float32,   ///< never: losses, metrics
  Normalize, ///< from level O2 on, with parameters of f32
  Move,      ///< where the op's operands are: it rounds nothing, and its
             ///< lowering takes elements of any type
  Other,     ///< from level O2 on
};

struct PrecisionRule {
  PrecisionKind kind = PrecisionKind::Other;
  /// Operands from this one on are never of a low type.
  unsigned operands = ~0u;
};

/// Gives an op its PrecisionOpInterface::getPrecision().
template <PrecisionKind kind, unsigned operands> struct PrecisionTrait {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {
  public:
    PrecisionRule getPrecision() { return {kind, operands}; }
  };
};

/// Whether `type`, or its elements, are bf16 or f16.
bool isLowPrecision(mlir::Type type);
/// `type`, a tensor, with elements of `element`.
mlir::RankedTensorType withElements(mlir::Type type, mlir::Type element);
/// `type` with elements of f32 where it has some of a low type.
mlir::Type widen(mlir::Type type);

/// Half the distance of two neighbours next to 1, and half of that next to 0,
/// in a type of floating point: |round(x) - x| <= max(u |x|, underflow).
struct Roundoff {
  double relative, underflow;
};
Roundoff getRoundoff(mlir::FloatType type);
/// `x` rounded to `type`, to nearest, ties to even; infinite where it is too
/// large.
double roundTo(mlir::FloatType type, double x);

} // namespace boostc
