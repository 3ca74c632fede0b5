// RowWeight.h - what makes the sum of the rows of a factor their mean.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/Scalar.h"
#include <optional>

namespace boostc::thor {

/// The inverse of the number of rows, `rows` of each of `count` samples, and of
/// the square of the scale of their elements. Infinite for no samples.
template <typename T>
T getRowWeight(T count, std::optional<T> scale, double rows) {
  T total = count * T::constant(rows);
  T weight = T(1.0) / total;
  if (!scale)
    return weight;
  T square = *scale * *scale;
  return weight / square;
}

} // namespace boostc::thor
