#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.bias
//===----------------------------------------------------------------------===//

LogicalResult BiasOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto bias = cast<RankedTensorType>(adaptor.getBias().getType());
  int64_t axis = adaptor.getAxis();
  if (failed(verifyAxis(loc, input, axis)))
    return failure();
  if (bias.getRank() != 1 || bias.getDimSize(0) != input.getDimSize(axis))
    return emitOptionalError(loc, "expected a bias of ", input.getDimSize(axis),
                             " elements for input ", input, ", found ", bias);
  inferred.push_back(input);
  return success();
}

LogicalResult BiasOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  const ReferenceValue &bias = operands[1];
  int64_t inner = AxisView(result.shape, getAxis()).inner;
  for (int64_t i = 0; i < result.size(); ++i)
    result.data[i] += bias.data[i / inner % bias.size()];
  results.push_back(std::move(result));
  return success();
}

LogicalResult BiasOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = context.gradResults[0];
  if (context.needed[1])
    context.gradOperands[1] =
        BiasGradOp::create(context.builder, context.loc, context.gradResults[0],
                           context.valid, getAxis());
  return success();
}

FailureOr<SmallVector<Value>> BiasOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank(), axis = getAxis();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), getBias()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {axis})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[0], args[1]);
      })};
}

ErrorBounds BiasOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue>) {
  const ReferenceValue &x = operands[0].value;
  AxisView view(x.shape, getAxis());
  std::vector<ApproximateSum> sums(x.size());
  for (int64_t i = 0; i < x.size(); ++i) {
    sums[i].add(operands[0].at(i));
    sums[i].add(operands[1].at(i / view.inner % view.extent));
  }
  return getErrors(sums);
}

int64_t BiasOp::getFlops() { return getInput().getType().getNumElements(); }

std::vector<LayerSpec> BiasOp::getLayerSpecs() {
  LayerSpec spec{"bias", LayerSpec::Kind::Layer,
                 "Adds a trainable vector along a dimension, `y[..., c, ...] = "
                 "x[..., c, ...] + bias[c]`."};
  spec.keys = {getAxisKey("0")};
  spec.parameters = {{"bias", BOOSTC_ROLE_BIAS, "zeros",
                      "One element for each index of the dimension."}};
  return {spec};
}

FailureOr<SmallVector<Value>> BiasOp::buildLayer(LayerBuilder &layer) {
  FailureOr<int64_t> axis = boostc::nn::getAxis(layer);
  if (failed(axis))
    return failure();
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  int64_t features = type.getDimSize(*axis);
  FailureOr<Value> bias =
      layer.parameter("bias", {features}, features, features);
  if (failed(bias))
    return failure();
  return SmallVector<Value>{
      BiasOp::create(layer.builder, layer.loc, layer.inputs[0], *bias, *axis)};
}

//===----------------------------------------------------------------------===//
// nn.bias_grad
//===----------------------------------------------------------------------===//

LogicalResult BiasGradOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getGradient().getType());
  int64_t axis = adaptor.getAxis();
  if (failed(verifyAxis(loc, type, axis)))
    return failure();
  inferred.push_back(RankedTensorType::get(
      {type.getDimSize(axis)}, Float32Type::get(type.getContext())));
  return success();
}

LogicalResult BiasGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &gradient = operands[0];
  int64_t valid = static_cast<int64_t>(operands[1].item());
  AxisView view(gradient.shape, getAxis());
  ReferenceValue result({view.extent});
  int64_t elements = gradient.size() / gradient.dim(0);
  for (int64_t i = 0; i < valid * elements; ++i)
    result.data[i / view.inner % view.extent] += gradient.data[i];
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> BiasGradOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = getGradient().getType().getRank(), axis = getAxis();
  return SmallVector<Value>{buildSum(
      builder, getLoc(), cast<RankedTensorType>(getType()), rank, {axis},
      {getGradient(), getValid()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::SelectOp::create(b, loc, buildIsValid(b, loc, 0, args[1]),
                                       args[0], buildConstant(b, loc, 0.0));
      })};
}

/// What a pooling's gradient passes on undivided: its own gradient, unless some
/// of it may fall into padding.
template <typename OpTy> static Value getPooledGradient(Value value) {
  auto pool = value.getDefiningOp<OpTy>();
  if (!pool ||
      llvm::any_of(pool.getPadding(), [](int64_t p) { return p != 0; }))
    return Value();
  return pool.getGradient();
}

LogicalResult BiasGradOp::canonicalize(BiasGradOp op,
                                       PatternRewriter &rewriter) {
  if (op.getAxis() != 1)
    return failure();
  Value pooled = getPooledGradient<MaxPoolGradOp>(op.getGradient());
  if (!pooled)
    pooled = getPooledGradient<AvgPoolGradOp>(op.getGradient());
  if (!pooled)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getGradientMutable().assign(pooled); });
  return success();
}

ErrorBounds BiasGradOp::boundErrors(ReferenceContext &,
                                    ArrayRef<Bounded> operands,
                                    ArrayRef<ReferenceValue>) {
  const ReferenceValue &dy = operands[0].value;
  AxisView view(dy.shape, getAxis());
  int64_t valid = static_cast<int64_t>(operands[1].value.item());
  std::vector<ApproximateSum> sums(view.extent);
  for (int64_t i = 0; i < valid * (dy.size() / dy.dim(0)); ++i)
    sums[i / view.inner % view.extent].add(operands[0].at(i));
  return getErrors(sums);
}

int64_t BiasGradOp::getFlops() {
  return getGradient().getType().getNumElements();
}
