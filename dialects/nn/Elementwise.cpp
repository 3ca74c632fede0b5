#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

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

/// `value` with its extents of 1 repeated to `shape`.
static Value repeat(LayerBuilder &layer, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> axes, kept;
  for (auto [axis, extent] : llvm::enumerate(type.getShape()))
    if (extent == shape[axis])
      kept.push_back(extent);
    else
      axes.push_back(static_cast<int64_t>(axis));
  if (axes.empty())
    return value;
  Type element = type.getElementType();
  Value given = ReshapeOp::create(layer.builder, layer.loc,
                                  RankedTensorType::get(kept, element), value);
  return BroadcastOp::create(layer.builder, layer.loc,
                             RankedTensorType::get(shape, element), given,
                             axes);
}

LogicalResult boostc::nn::repeatToOneShape(LayerBuilder &layer) {
  auto a = cast<RankedTensorType>(layer.inputs[0].getType());
  auto b = cast<RankedTensorType>(layer.inputs[1].getType());
  bool fit =
      a.getRank() == b.getRank() && a.getElementType() == b.getElementType();
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; fit && axis < a.getRank(); ++axis) {
    int64_t extents[] = {a.getDimSize(axis), b.getDimSize(axis)};
    shape.push_back(std::max(extents[0], extents[1]));
    fit = extents[0] == extents[1] ||
          (axis > 0 && llvm::is_contained(extents, 1));
  }
  if (!fit)
    return layer.emitError("inputs")
           << layer.spec.name
           << " needs two inputs of the same shape, or with 1 where the other "
              "one has more, found "
           << a << " and " << b
           << " with the batch; one of the layers that make them must change";
  for (Value &input : layer.inputs)
    input = repeat(layer, input, shape);
  return success();
}
