// WinogradBound.h - what rounding does to a convolution by Winograd's algorithm
// F(2x2, 3x3), besides what it does to one that is summed term by term.
//
// With the letters of compiler/lowering/cpu/WinogradPlan.h, a transform of a
// vector by B' rounds once, by G or A' twice, and by A once; of a square,
// twice as often. So an element of a result has the errors of its inner sums'
// n products and of 10 roundings more (4 of G, 2 of B', 4 of A'), and of the
// bias: at most
//
//   gamma_(n + 11) |A'| [ sum of (|G| |g| |G'|) o (|B'| |d| |B|) ] |A|
//
// by Higham, chapter 3, since each is a sum of products whose factors are
// rounded before. A gradient of weights has 2 of A, 2 of B' and 4 of G':
//
//   gamma_(n + 8) |G'| [ sum of (|A| |p| |A'|) o (|B'| |d| |B|) ] |G|
#pragma once

#include "dialects/interfaces/ErrorBound.h"

namespace boostc::e2e {

/// Adds that to `errors`, the bound of each element of the result of `op`, if
/// it is a convolution, or a gradient of one, that the algorithm can compute.
void addWinogradErrors(mlir::Operation &op, llvm::ArrayRef<Bounded> operands,
                       ErrorBounds &errors);

} // namespace boostc::e2e
