// BlockNorms.h - which batch norms of a network less_bn removes, by how layers
// are connected.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace boostc::boost {

/// The batch norms of `forward` that its blocks do without. Each rule leaves a
/// block one norm, or two where there is a depthwise convolution:
///
/// * residual block, the sum of two branches from one value, of which the one
///   with more contractions, two or more, ends with a norm: that norm stays.
///   The others that follow a contraction are removed, in the shorter branch
///   too, but for those of depthwise convolutions.
/// * linear bottleneck: the norm of a 1x1 convolution that widens a value
///   without an activation of its own, before an activation and a depthwise
///   convolution or a pooling: the expansion of an inverted residual block, and
///   the head of a network of them.
/// * dense block: of a layer `norm, activation, contraction` that reads a
///   concatenation, this norm, where another norm or a pooling follows. A layer
///   of two norms that reads no concatenation but is joined to one loses its
///   second norm.
///
/// Source: the patterns of MindSpore's less_batch_normalization pass, read as
/// rules about structure.
llvm::SetVector<mlir::Operation *> findBlockNorms(mlir::func::FuncOp forward);

/// The batch norms of a function, in their order.
llvm::SmallVector<mlir::Operation *> getBatchNorms(mlir::func::FuncOp function);

} // namespace boostc::boost
