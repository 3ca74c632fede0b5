// Softmax.h - what softmax, log_softmax and their gradients have in common: a
// rule for each line along an axis.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/ScalarRule.h"

namespace boostc::nn {

/// Lines of the operands, of numbers or of numbers with bounds of their errors.
/// What a rule leaves in the first is the result.
template <typename Element>
using Lines = llvm::MutableArrayRef<std::vector<Element>>;

/// A softmax of one line, in three forms.
struct LineRule {
  /// One element, from its distance to the largest one of its line and the sum
  /// of exp of these distances.
  Scalar (*build)(Scalar shifted, Scalar exponentials);
  void (*evaluate)(Lines<double> lines);
  void (*bound)(Lines<Approximate> lines);
};

/// The gradient of such a rule; lines: of dy, of the result y.
struct LineGradientRule {
  /// The term of a sum over the line; null: dy.
  Scalar (*buildTerm)(Scalar dy, Scalar y);
  /// One element, from the sum.
  Scalar (*build)(Scalar dy, Scalar y, Scalar sum);
  void (*evaluate)(Lines<double> lines);
  void (*bound)(Lines<Approximate> lines);
};

/// Calls `line` with each line along `axis`.
llvm::LogicalResult
evaluateLines(llvm::ArrayRef<ReferenceValue> operands, int64_t axis,
              llvm::SmallVectorImpl<ReferenceValue> &results,
              llvm::function_ref<void(Lines<double>)> line);
ErrorBounds boundLines(llvm::ArrayRef<Bounded> operands, int64_t axis,
                       llvm::function_ref<void(Lines<Approximate>)> line);

/// Subtracts the largest element of a line from each; the sum of exp of what is
/// left.
double shiftByMaximum(std::vector<double> &line);
/// Replace a line by its softmax or log_softmax, as lowerLines() emits it.
void boundSoftmax(std::vector<Approximate> &line);
void boundLogSoftmax(std::vector<Approximate> &line);

llvm::SmallVector<mlir::Value> lowerLines(const LineRule &rule,
                                          mlir::OpBuilder &builder,
                                          mlir::Location loc, mlir::Value input,
                                          int64_t axis);
llvm::SmallVector<mlir::Value>
lowerLineGradient(const LineGradientRule &rule, mlir::OpBuilder &builder,
                  mlir::Location loc, mlir::Value gradient, mlir::Value output,
                  int64_t axis);

} // namespace boostc::nn
