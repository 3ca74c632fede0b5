// DampedInverse.h - inverses of symmetric matrices that are made definite, what
// thor.damped_inverse and rt.damped_inverse share.
#pragma once

#include "dialects/interfaces/ErrorBound.h"

namespace boostc::rt {

/// How often an inversion is tried, and by what the damping is multiplied from
/// one try to the next.
inline constexpr int kDampingTries = 4;
inline constexpr double kDampingGrowth = 10.0;
/// The part of the damping that every pivot must have. In exact arithmetic a
/// pivot of M + s I is not below s where M is positive semidefinite; less than
/// this part of s is rounding.
inline constexpr double kLeastPivot = 0.5;

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
