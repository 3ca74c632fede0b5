// DampedInverse.h - inverses of symmetric matrices that are made definite, what
// thor.damped_inverse and rt.damped_inverse share.
#pragma once

#include "dialects/interfaces/ErrorBound.h"

namespace boostc::rt {

/// How often an inversion is tried, and by what the damping is multiplied from
/// one try to the next.
inline constexpr int kDampingTries = 4;
inline constexpr double kDampingGrowth = 10.0;
/// What every pivot must have: this part of the damping, this part of the
/// element of the diagonal that it is what is left of, and this number. In
/// exact arithmetic a pivot of M + s I is not below s where M is positive
/// semidefinite; less than half of that, or a few units in the last place of
/// what it was, is rounding. The number keeps inverses, and products of two of
/// them with a gradient, finite.
inline constexpr double kMinPartOfDamping = 0.5, kMinPartOfDiagonal = 0x1p-21,
                        kMinPivot = 0x1p-40;

/// Flops of one try for all matrices of `type` [n, d, d]: an elimination of d
/// columns with a multiply-add for each element.
int64_t countInverseFlops(mlir::ShapedType type);

/// (weight * m + damping * I)^-1 of each matrix m of `matrices` [n, d, d], with
/// the first damping whose pivots are large enough; zeros where no try has
/// them.
struct DampedInverses {
  ReferenceValue value;
  ReferenceValue failed;     ///< [n], 1 where no try succeeded
  std::vector<double> error; ///< of `value`
};
DampedInverses invertDamped(const Bounded &matrices, const Bounded &weight,
                            const Bounded &damping);

} // namespace boostc::rt
