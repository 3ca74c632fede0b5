// KroneckerLayer.h - what the gradient of a weight is a sum of products of.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace boostc {

/// A weight's gradient as the sum over rows of d(row) x(row)^t, the weight as a
/// matrix [outputs, inputs] in row-major order.
///
/// Without a kernel the rows are those of matrices: x [batch, ..., inputs],
/// d [batch, ..., outputs]. With one they are the windows of a convolution:
/// x [batch, channels, height, width], d [batch, outputs, output height, output
/// width]; a row of x is what the window of an output pixel sees, by channel,
/// then by row and column of the kernel.
struct KroneckerLayer {
  mlir::Value input = {};    ///< x
  mlir::Value gradient = {}; ///< d
  // As in nn.conv2d; `kernel` is height and width.
  llvm::SmallVector<int64_t> kernel = {}, strides = {}, padding = {},
                             dilations = {};
  /// The weight is a table, a row for each index, and `input` has indices
  /// [batch, ...]: x is 1 at the index and 0 elsewhere. The weight as a matrix
  /// is the table transposed.
  bool isLookup = false;
  /// The weight is one matrix below the other, each of its own outputs and
  /// inputs.
  int64_t groups = 1;
};

} // namespace boostc
