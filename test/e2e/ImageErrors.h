// ImageErrors.h - rules of ErrorAnalysis.h for ops on images.
#pragma once

#include "mlir/IR/Operation.h"
#include "test/e2e/ErrorAnalysis.h"
#include <optional>

namespace boostc::e2e {

/// Bounds of all results of `op`, or nothing when it has no image. The
/// error of a pooling's tap is 1 where another tap may win, else 0.
std::optional<std::vector<std::vector<double>>>
getImageErrors(mlir::Operation *op, llvm::ArrayRef<Bounded> in,
               llvm::ArrayRef<ReferenceValue> out);

} // namespace boostc::e2e
