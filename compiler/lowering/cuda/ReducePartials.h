// ReducePartials.h - a sum of products as the sum of parts that a GPU computes
// side by side.
#pragma once

#include "compiler/lowering/kernels/Contraction.h"

namespace boostc {

/// `whole` in `parts` parts, which has one more loop: cuts the loop over terms
/// whose steps are largest and whose extent is a multiple. Without a bias, and
/// written to `buffer`, one part behind the other. Nothing where there is no
/// such loop.
std::optional<Contraction> cutIntoParts(const Contraction &whole, int64_t parts,
                                        mlir::Value buffer);

/// The sum of these parts, with the bias, in the places where `whole` would be
/// written.
Contraction sumUpParts(const Contraction &whole, int64_t parts,
                       mlir::Value buffer);

} // namespace boostc
