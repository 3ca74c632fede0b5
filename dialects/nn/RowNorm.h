// RowNorm.h - normalisation of rows: the definition and the bounds of error
// that layer_norm and group_norm share. Their lowerings differ.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc::nn {

/// How a normalisation divides its input, in row-major order: each `size`
/// elements are a row with its own mean and variance, and element k has the
/// factor and the summand number k / inner % parameters.
///
/// With mean m and variance v (divided by the number of elements) of a row,
/// z = (x - m) / sqrt(v + epsilon) and y = gamma * z + beta.
struct RowNorm {
  int64_t size, parameters, inner;
  double epsilon;

  int64_t getParameter(int64_t k) const { return k / inner % parameters; }

  /// y. Operands: x; gamma and beta, or neither for 1 and 0.
  ReferenceValue evaluate(llvm::ArrayRef<ReferenceValue> operands) const;
  ErrorBounds boundErrors(llvm::ArrayRef<Bounded> operands) const;

  /// dx = (g - mean(g) - z * mean(g * z)) / sqrt(v + epsilon) with
  /// g = gamma * dy. Operands: dy, x; gamma, or none for 1.
  ReferenceValue
  evaluateGradInput(llvm::ArrayRef<ReferenceValue> operands) const;
  ErrorBounds boundGradInput(llvm::ArrayRef<Bounded> operands) const;

  /// Sums of dy * z and of dy over the elements that a parameter has in the
  /// samples below `valid`, both of type `type`. Operands: dy, x, valid.
  void
  evaluateGradParameters(llvm::ArrayRef<ReferenceValue> operands,
                         mlir::RankedTensorType type,
                         llvm::SmallVectorImpl<ReferenceValue> &results) const;
  ErrorBounds boundGradParameters(llvm::ArrayRef<Bounded> operands) const;
};

} // namespace boostc::nn
