// DampedInverse.h - inverses of symmetric matrices that are made definite, what
// thor.damped_inverse and rt.damped_inverse share.
#pragma once

#include "dialects/interfaces/ErrorBound.h"

namespace boostc::rt {

/// Flops of one try for all matrices of `type` [n, d, d]: an elimination of d
/// columns with a multiply-add for each element.
int64_t countInverseFlops(mlir::ShapedType type);

/// (weight[b] * m[b] + damping * I)^-1 of each matrix m[b] of `matrices`
/// [n, d, d], with the first damping whose pivots are large enough; zeros where
/// no try has them, or the weight is not finite.
struct DampedInverses {
  ReferenceValue value;
  ReferenceValue failed;     ///< [n], 1 where no try succeeded
  std::vector<double> error; ///< of `value`
};
DampedInverses invertDamped(const Bounded &matrices, const Bounded &weight,
                            const Bounded &damping);

} // namespace boostc::rt
