// RefreshLayer.h - new inverses of a layer's factors.
#pragma once

#include "compiler/boost/thor/FactorLayers.h"
#include "dialects/thor/ThorDialect.h"

namespace boostc::boost {

/// The inverses of a layer's factors, and whether both could be computed, i32.
struct Inverses {
  mlir::Value a, g, ready;
};

struct RefreshOptions {
  int64_t slots = 1;     ///< into which layers are divided
  bool balances = false; ///< damping, by the traces of the factors
  bool isByRank = false; ///< each rank inverts factors of its own samples
  /// Of the moving averages that are inverted; null where it is the factors of
  /// the step.
  mlir::FloatAttr decay;
};

/// Computes new ones of `layer` at `request`, in an update that refreshes;
/// where the layer is not due it is those that were there `before`. Leaves
/// averages in their states.
Inverses refreshInverses(mlir::func::FuncOp update,
                         thor::NaturalGradientOp request,
                         const FactorLayer &layer,
                         const RefreshOptions &options, SlotCode &slots,
                         const Inverses &before);

/// `value` where `taken`, i32, is not 0, else `kept`.
mlir::Value replaceWhere(mlir::OpBuilder &builder, mlir::Value taken,
                         mlir::Value value, mlir::Value kept);

} // namespace boostc::boost
