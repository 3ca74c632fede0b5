// ReducePartials.h - a contraction as the sum of partial sums, which a GPU
// computes concurrently (split-K).
#pragma once

#include "compiler/lowering/kernels/Contraction.h"

namespace boostc {

/// `whole` as `partials` partial sums, with one more loop: cuts the loop over
/// terms whose steps are largest and whose extent is a multiple. Without a
/// bias, and written to `buffer`, one partial sum after the other. Nothing
/// where there is no such loop.
std::optional<Contraction> splitReduction(const Contraction &whole,
                                          int64_t partials, mlir::Value buffer);

/// The sum of these partial sums, with the bias, where `whole` would be
/// written.
Contraction reducePartials(const Contraction &whole, int64_t partials,
                           mlir::Value buffer);

} // namespace boostc
