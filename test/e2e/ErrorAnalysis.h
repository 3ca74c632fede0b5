// ErrorAnalysis.h - how far a result in single precision may be from the exact
// one.
//
// A running error analysis of the functions of phase `step`: every value comes
// with a bound of what rounding may have done to each of its elements, derived
// op by op from the standard model fl(a op b) = (a op b)(1 + d), |d| <= u =
// 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// chapters 2 and 3):
//
//  - a sum of n products, in any order and with or without fused multiply-add,
//  is off by
//    at most gamma_n times the sum of magnitudes, gamma_n = n u / (1 - n u);
//  - where an activation is within its own bound of zero, ReLU may pass its
//  gradient or
//    not: the whole gradient is in doubt there;
//  - in a program of tf32 each factor of a product or convolution may have been
//  rounded to 10 bits before, by kTf32Roundoff;
//  - exp and log are the polynomials of compiler/lowering/llvm, off by at most
//    kElementaryError.
//
// Nothing is measured on the code under test. Terms of second order are covered
// by a factor of 1.01.
#pragma once

#include "dialects/interfaces/ErrorBound.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc::e2e {

/// Runs `function` on `arguments`. Fails the test, and returns nothing, at an
/// op it has no rule for. `overflows` tells whether a number on the way is one
/// that single precision does not hold: then nothing is known of any result.
std::vector<Bounded> analyze(mlir::func::FuncOp function,
                             llvm::ArrayRef<Bounded> arguments,
                             bool *overflows = nullptr);

} // namespace boostc::e2e
