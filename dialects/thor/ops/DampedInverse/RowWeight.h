// RowWeight.h - what makes the sum of the rows of a factor their mean.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/Scalar.h"
#include <optional>

namespace boostc::thor {

/// The inverse of the number of rows, `rows` of each of `count` samples, and of
/// the square of the scale of their elements. Without `rows` it is 1, for what
/// is a mean. Not finite for no samples.
template <typename T>
T getRowWeight(T count, std::optional<T> scale, std::optional<double> rows) {
  if (!rows)
    return count / count;
  T total = count * T::constant(*rows);
  T weight = T(1.0) / total;
  if (!scale)
    return weight;
  T square = *scale * *scale;
  return weight / square;
}

/// What damping adds to the diagonals of a factor of `positions` windows of a
/// sample.
template <typename T> T getAddedDamping(T damping, double positions) {
  return sqrt(damping / T::constant(positions));
}

/// The row weight as a tensor<f32>, of tensors; `scale` may be null.
mlir::Value buildRowWeight(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value count, mlir::Value scale,
                           std::optional<double> rows);

} // namespace boostc::thor
