// ScalarRule.h - what an op does to one element, said once in the three forms
// that are needed of it.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/Scalar.h"
#include "mlir/IR/OpDefinition.h"
#include <functional>

namespace boostc {

using Scalars = llvm::ArrayRef<Scalar>;
using Numbers = llvm::ArrayRef<double>;

/// A function of numbers, one from each operand. The forms own what they
/// capture: a rule is used longer than the op that gave it.
struct ScalarRule {
  /// Floating-point operations (a multiply-add is two).
  int64_t flops = 1;
  /// Emits it in single precision.
  std::function<Scalar(Scalars x)> build;
  /// Its definition in double precision, written for clarity.
  std::function<double(Numbers x)> evaluate;
  /// How far what `build` emits may be from the definition.
  std::function<Approximate(Approximates x)> bound;
};

} // namespace boostc

#include "dialects/interfaces/ScalarFunctionOpInterface.h.inc"
