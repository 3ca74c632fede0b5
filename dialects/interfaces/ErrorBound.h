// ErrorBound.h - what rounding to single precision may do to a result: the
// numbers that ErrorBoundOpInterface and its implementations share.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include <vector>

namespace boostc {

inline constexpr double kUnitRoundoff = 0x1p-24;
/// Relative error of a factor rounded to tf32, to nearest, as the simulated GPU
/// does; the bits of a number that is not normal reach down to 2^-136.
inline constexpr double kTf32Roundoff = 0x1p-11;
inline constexpr double kTf32Underflow = 0x1p-137;
/// Relative error of exp, absolute error of log next to log's own magnitude:
/// Cephes' polynomials stay below 2 units in the last place, which is 4 u.
inline constexpr double kElementaryError = 4 * kUnitRoundoff;

/// What exp may lose besides where its result is not normal.
inline constexpr double kUnderflow = 0x1p-126;
/// Absolute error of erf: the rational approximations of upstream's math
/// dialect, on all floats of [0, 4], beyond which they give 1.
inline constexpr double kErfError = 4 * kUnitRoundoff;

inline double gammaOf(double terms) {
  return terms * kUnitRoundoff / (1.0 - terms * kUnitRoundoff);
}

struct Approximate; // Approximate.h

/// Bounds of the absolute errors of results, of each element of each; results
/// after the last list are exact.
using ErrorBounds = std::vector<std::vector<double>>;

/// A value with bounds of its errors.
struct Bounded {
  ReferenceValue value;
  std::vector<double> error; ///< of each element, absolute

  Bounded() = default;
  /// Exact, as what both sides are given.
  explicit Bounded(ReferenceValue exact)
      : value(std::move(exact)), error(value.data.size(), 0.0) {}

  Approximate at(int64_t i) const;
};

/// The errors of `value` as numbers.
ReferenceValue getErrors(const Bounded &value);
/// |x|, or |x| + error, of each element.
ReferenceValue getMagnitudes(const Bounded &value, bool withErrors);
/// The first result of `op` for `operands`.
std::vector<double> evaluateOp(mlir::Operation *op, ReferenceContext &context,
                               llvm::ArrayRef<ReferenceValue> operands);
/// The errors of an op that only moves elements: moved as they are.
ErrorBounds boundMovement(mlir::Operation *op, ReferenceContext &context,
                          llvm::ArrayRef<Bounded> operands);

} // namespace boostc
