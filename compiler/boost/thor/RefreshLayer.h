// RefreshLayer.h - new inverses of a layer's factors.
#pragma once

#include "compiler/boost/thor/FactorLayers.h"
#include "dialects/thor/ThorDialect.h"

namespace boostc::boost {

/// The inverses of a layer's factors, and whether both could be computed, i32.
struct Inverses {
  mlir::Value a, g, ready;
  /// Whether they are of this step, i32; null where all are.
  mlir::Value isNew = {};
};

struct RefreshOptions {
  bool balances = false; ///< damping, by the traces of the factors
  /// Of the moving averages that are inverted; null where it is the factors of
  /// the step.
  mlir::FloatAttr decay;
  /// countRanks(), where each rank inverts factors of its own samples and these
  /// inverses are averaged; or null.
  mlir::Value ranks;
  /// What the loss counts of a sample: several, where each has several labels.
  int64_t labels = 1;
  /// Changes of a trace above which factors are inverted, and below which they
  /// never are again (0 where it is null); or null.
  mlir::FloatAttr above, below;
};

/// Computes new ones of `layer` at `request`, in an update that refreshes;
/// where the layer is not due, or its factors hardly changed, it is those that
/// were there `before`. Leaves averages and traces of factors in their states.
Inverses refreshInverses(mlir::func::FuncOp update,
                         thor::NaturalGradientOp request,
                         const FactorLayer &layer,
                         const RefreshOptions &options, SlotCode &slots,
                         const Inverses &before);

/// The samples of the step, of all ranks, i64; `labels` as in RefreshOptions.
mlir::Value countSamples(mlir::OpBuilder &builder, mlir::func::FuncOp update,
                         int64_t labels);

/// The number of ranks that have samples, i64.
mlir::Value countRanks(mlir::func::FuncOp update);

/// Lets `update` leave `changed` in `state` where `taken`, i32, is not 0, else
/// what was there `before`.
void leaveWhere(mlir::func::FuncOp update, llvm::StringRef state,
                mlir::Value taken, mlir::Value changed, mlir::Value before);

} // namespace boostc::boost
