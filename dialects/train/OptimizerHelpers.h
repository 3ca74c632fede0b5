// OptimizerHelpers.h - pieces of arithmetic that several first-order rules
// share. A rule is written once, for T: Scalar gives what is emitted,
// Approximate what its rounding does.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LayerSpec.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Scalar.h"
#include <cfloat>

namespace boostc::train {

/// Whether a flag, an i32, is set.
inline mlir::Value buildIsSet(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value flag) {
  mlir::Value no = mlir::arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(0));
  return mlir::arith::CmpIOp::create(builder, loc,
                                     mlir::arith::CmpIPredicate::ne, flag, no);
}

/// Whether there is a sample, from the element of the number of samples, an
/// i64, or of the sum of their weights, an f32.
inline mlir::Value buildHasSamples(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::Value samples) {
  if (llvm::isa<mlir::FloatType>(samples.getType()))
    return mlir::arith::CmpFOp::create(builder, loc,
                                       mlir::arith::CmpFPredicate::OGT, samples,
                                       buildConstant(builder, loc, 0.0));
  mlir::Value none = mlir::arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(0));
  return mlir::arith::CmpIOp::create(
      builder, loc, mlir::arith::CmpIPredicate::sgt, samples, none);
}

/// The sum of the squares of a tensor, a scalar.
mlir::Value buildSquaredNorm(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value tensor);

/// The sum of the products of the elements of two tensors, a scalar.
mlir::Value buildInnerProduct(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value a, mlir::Value b);

/// The same with the error of its rounding; what one rounds, the other may add
/// up in any order.
Approximate boundInnerProduct(const Bounded &a, const Bounded &b);

/// The error of a factor that lies between 0 and 1, whatever it is computed of.
double boundShareError(Approximate factor);

/// `x`, or 0 where it is subnormal: what a mean is of which each step keeps a
/// share. Where it goes to 0, as with the gradients of units that no sample
/// activates, it would become subnormal, and rounding would keep it so for ever:
/// 0.9 times the smallest number is that number. Arithmetic with such numbers
/// takes CPUs a hundred cycles.
inline double dropSubnormal(double x) {
  return std::abs(x) < FLT_MIN ? 0.0 : x;
}
inline Scalar dropSubnormal(Scalar x) {
  return select(abs(x) < Scalar(FLT_MIN), Scalar(0.0), x);
}
/// Either side may drop what is near the limit.
inline Approximate dropSubnormal(Approximate x) {
  if (std::abs(x.value) - x.error >= FLT_MIN)
    return x;
  return {dropSubnormal(x.value), x.error + std::abs(x.value)};
}

/// What `average` is after it has moved towards `value` by a share of the
/// distance.
template <typename T> T moveTowards(T average, T value, T share) {
  return dropSubnormal(average + share * (value - average));
}

/// Checks that a moving average keeps a share of what it was.
llvm::LogicalResult verifyDecay(mlir::Operation *op, llvm::StringRef what,
                                double decay);

/// Adam's rule with step size `rate`; its other numbers are keys of the
/// optimizer.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildAdam(LayerBuilder &layer, mlir::Value rate, bool decoupled);

/// g + decay * w; g itself when decay is 0, so that no needless arithmetic is
/// emitted.
template <typename T> T addDecay(T gradient, T parameter, double decay) {
  return decay == 0.0 ? gradient : gradient + T::constant(decay) * parameter;
}

/// ScalarUpdateOpInterface::buildScalarRule() of `rule`, which maps operands'
/// elements to results'.
template <typename Rule>
llvm::SmallVector<mlir::Value> emitRule(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        mlir::ValueRange operands, Rule rule) {
  ScalarEmitter emitter(builder, loc);
  llvm::SmallVector<Scalar> elements;
  for (mlir::Value operand : operands)
    elements.push_back({operand, emitter});
  llvm::SmallVector<mlir::Value> results;
  for (Scalar result : rule(llvm::ArrayRef<Scalar>(elements)))
    results.push_back(result.get(emitter));
  return results;
}

/// ErrorBoundOpInterface::boundErrors() of such a rule.
template <typename Rule>
ErrorBounds boundRule(llvm::ArrayRef<Bounded> operands, size_t results,
                      Rule rule) {
  return boundElements(
      operands, results,
      [&](Approximates x, llvm::MutableArrayRef<Approximate> y) {
        llvm::copy(rule(x), y.begin());
      });
}

} // namespace boostc::train
