// ErrorAnalysis.h - how far a result in single precision may be from the exact
// one.
//
// A running error analysis of the functions of phase `step`: every value comes
// with a bound of what rounding may have done to each of its elements. Each op
// derives its own (ErrorBoundOpInterface) from the standard model fl(a op b) =
// (a op b)(1 + d), |d| <= u = 2^-24 (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, chapters 2 and 3):
//
//  - a sum of n products, in any order and with or without fused multiply-add,
//  is off by
//    at most gamma_n times the sum of magnitudes, gamma_n = n u / (1 - n u);
//  - where an activation is within its own bound of zero, ReLU may pass its
//  gradient or
//    not: the whole gradient is in doubt there;
//  - in a program of tf32 each factor of a product or convolution may have been
//  rounded to 10 bits before, by kTf32Roundoff;
//  - an op with kRoundedToAttrName has its result rounded to that type, too, by
//  the library that computes it;
//  - in a program that uses Winograd's algorithm, convolutions are off by what
//  WinogradBound.h derives, too;
//  - exp and log are the polynomials of compiler/lowering/llvm, off by at most
//    kElementaryError.
//
// Nothing is measured on the code under test. Terms of second order are covered
// by a factor of 1.01.
#pragma once

#include "compiler/reference/Interpreter.h"
#include "dialects/interfaces/ErrorBound.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc::e2e {

/// A type attribute, which tests give to ops; see above.
inline constexpr llvm::StringLiteral kRoundedToAttrName = "e2e.rounded_to";

/// The values of a function's ops with bounds of their errors, op by op.
class ErrorAnalysis {
public:
  /// What is added to each bound, relative to it, for terms of second order
  /// that the ops' own bounds leave out.
  explicit ErrorAnalysis(double secondOrder) : secondOrder(secondOrder) {}

  void set(mlir::Value value, Bounded bounded) {
    values[value] = std::move(bounded);
  }
  const Bounded &get(mlir::Value value) const { return values.at(value); }
  /// Evaluates `op` and bounds its results. Fails the test, and returns false,
  /// at an op without a bound. In programs of tf32, libraries round the factors
  /// of contractions; others may compute convolutions by Winograd's algorithm.
  bool visit(mlir::Operation &op, bool isTf32 = false, bool isWinograd = false);

private:
  double secondOrder;
  Interpreter interpreter;
  llvm::DenseMap<mlir::Value, Bounded> values;
};

/// Runs `function` on `arguments`. Fails the test, and returns nothing, at an
/// op without a bound. `overflows` tells whether a number on the way is one
/// that single precision does not hold: then nothing is known of any result.
std::vector<Bounded> analyze(mlir::func::FuncOp function,
                             llvm::ArrayRef<Bounded> arguments,
                             bool *overflows = nullptr);

} // namespace boostc::e2e
