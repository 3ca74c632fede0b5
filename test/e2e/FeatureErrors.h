// FeatureErrors.h - rules of the error analysis for ops on features: further
// activations, arithmetic, softmax, reductions, normalisation, and losses that
// compare numbers.
#pragma once

#include "test/e2e/ErrorAnalysis.h"
#include <optional>

namespace boostc::e2e {

/// Bounds of the results of `op`, nothing when it is none of these ops.
std::optional<std::vector<std::vector<double>>>
getFeatureErrors(mlir::Operation *op, llvm::ArrayRef<Bounded> in,
                 llvm::ArrayRef<ReferenceValue> out);

} // namespace boostc::e2e
