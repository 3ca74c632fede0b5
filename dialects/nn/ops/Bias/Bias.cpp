#include "dialects/interfaces/LinalgHelpers.h"
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
  if (input.getRank() < 2)
    return emitOptionalError(loc, "expected an input of rank 2 or more, found ",
                             input);
  if (bias.getDimSize(0) != input.getDimSize(1))
    return emitOptionalError(loc, "expected a bias of ", input.getDimSize(1),
                             " elements for input ", input, ", found ", bias);
  inferred.push_back(input);
  return success();
}

/// Elements per (sample, feature).
static int64_t trailingElements(RankedTensorType type) {
  return type.getNumElements() / (type.getDimSize(0) * type.getDimSize(1));
}

LogicalResult BiasOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  const ReferenceValue &bias = operands[1];
  int64_t features = bias.size(),
          inner = trailingElements(getInput().getType());
  for (int64_t i = 0; i < result.size(); ++i)
    result.data[i] += bias.data[i / inner % features];
  results.push_back(std::move(result));
  return success();
}

LogicalResult BiasOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = context.gradResults[0];
  if (context.needed[1])
    context.gradOperands[1] = BiasGradOp::create(
        context.builder, context.loc, context.gradResults[0], context.valid);
  return success();
}

FailureOr<SmallVector<Value>> BiasOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), getBias()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {1})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[0], args[1]);
      })};
}

ErrorBounds BiasOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue>) {
  const ReferenceValue &x = operands[0].value;
  int64_t channels = x.dim(1), inner = x.size() / (x.dim(0) * channels);
  std::vector<ApproximateSum> sums(x.size());
  for (int64_t i = 0; i < x.size(); ++i) {
    sums[i].add(operands[0].at(i));
    sums[i].add(operands[1].at(i / inner % channels));
  }
  return getErrors(sums);
}

int64_t BiasOp::getFlops() { return getInput().getType().getNumElements(); }

std::vector<LayerSpec> BiasOp::getLayerSpecs() {
  LayerSpec spec{"bias", LayerSpec::Kind::Layer,
                 "Adds a trainable vector along the features, `y[n, c, ...] = "
                 "x[n, c, ...] + bias[c]`."};
  spec.parameters = {
      {"bias", BOOSTC_ROLE_BIAS, "zeros", "One element per feature."}};
  return {spec};
}

FailureOr<SmallVector<Value>> BiasOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  int64_t features = type.getDimSize(1);
  FailureOr<Value> bias =
      layer.parameter("bias", {features}, features, features);
  if (failed(bias))
    return failure();
  return SmallVector<Value>{
      BiasOp::create(layer.builder, layer.loc, layer.inputs[0], *bias)};
}

//===----------------------------------------------------------------------===//
// nn.bias_grad
//===----------------------------------------------------------------------===//

LogicalResult BiasGradOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getGradient().getType());
  if (type.getRank() < 2)
    return emitOptionalError(
        loc, "expected a gradient of rank 2 or more, found ", type);
  inferred.push_back(
      RankedTensorType::get({type.getDimSize(1)}, type.getElementType()));
  return success();
}

LogicalResult BiasGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &gradient = operands[0];
  int64_t valid = static_cast<int64_t>(operands[1].item());
  RankedTensorType type = getGradient().getType();
  int64_t features = type.getDimSize(1), inner = trailingElements(type);
  ReferenceValue result({features});
  for (int64_t i = 0; i < valid * features * inner; ++i)
    result.data[i / inner % features] += gradient.data[i];
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> BiasGradOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = getGradient().getType().getRank();
  return SmallVector<Value>{buildReduction(
      builder, getLoc(), cast<RankedTensorType>(getType()),
      builder.getF32FloatAttr(0.0), rank, {1}, {getGradient(), getValid()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value isValid = buildIsValid(b, loc, 0, args[1]);
        Value term = arith::SelectOp::create(b, loc, isValid, args[0],
                                             buildConstant(b, loc, 0.0));
        return buildSumStep(b, loc, args[2], term);
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
  int64_t channels = dy.dim(1), inner = dy.size() / (dy.dim(0) * channels);
  int64_t valid = static_cast<int64_t>(operands[1].value.item());
  std::vector<ApproximateSum> sums(channels);
  for (int64_t i = 0; i < valid * channels * inner; ++i)
    sums[i / inner % channels].add(operands[0].at(i));
  return getErrors(sums);
}

int64_t BiasGradOp::getFlops() {
  return getGradient().getType().getNumElements();
}
