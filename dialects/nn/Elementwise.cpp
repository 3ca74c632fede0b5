#include "dialects/nn/Elementwise.h"

using namespace mlir;
using namespace boostc;

LogicalResult
boostc::nn::evaluateElementwise(const ScalarRule &rule,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  SmallVector<double> elements(operands.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [element, operand] : llvm::zip_equal(elements, operands))
      element = operand.data[i];
    result.data[i] = rule.evaluate(elements);
  }
  results.push_back(std::move(result));
  return success();
}

ErrorBounds boostc::nn::boundElementwise(const ScalarRule &rule,
                                         ArrayRef<Bounded> operands) {
  return boundElements(operands, 1,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = rule.bound(x);
                       });
}

Value boostc::nn::buildScalarRule(OpBuilder &builder, Location loc,
                                  const ScalarRule &rule, ValueRange args) {
  ScalarEmitter emitter(builder, loc);
  SmallVector<Scalar> scalars;
  for (Value arg : args)
    scalars.push_back(Scalar(arg, emitter));
  return rule.build(scalars).get(emitter);
}

FailureOr<SmallVector<Value>>
boostc::nn::lowerElementwise(Operation *op, OpBuilder &builder,
                             const ScalarRule &rule) {
  return SmallVector<Value>{buildElementwise(
      builder, op->getLoc(), cast<RankedTensorType>(op->getResult(0).getType()),
      op->getOperands(), [&](OpBuilder &b, Location loc, ValueRange args) {
        return buildScalarRule(b, loc, rule, args);
      })};
}

Approximate boostc::nn::boundSlope(Approximate dy, Approximate y, double slope,
                                   double steepness) {
  double size = std::abs(slope), doubt = steepness * y.error + gammaOf(3);
  return {dy.value * slope,
          dy.error * (size + doubt) +
              std::abs(dy.value) * (doubt + gammaOf(1) * size)};
}

Approximate
boostc::nn::boundAtOnce(Approximate x, double steepness,
                        llvm::function_ref<Approximate(Approximate)> f) {
  Approximate own = f(x.value);
  return {own.value, own.error + steepness * x.error};
}

LogicalResult boostc::nn::checkSameShapes(LayerBuilder &layer) {
  Type first = layer.inputs[0].getType(), second = layer.inputs[1].getType();
  if (first != second)
    return layer.emitError("inputs")
           << layer.spec.name << " needs two inputs of the same shape, found "
           << first << " and " << second
           << " with the batch; one of the layers that make them must change";
  return success();
}
