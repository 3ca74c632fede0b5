#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static LogicalResult verifyMatrices(std::optional<Location> loc, Type lhs,
                                    Type rhs) {
  if (cast<RankedTensorType>(lhs).getRank() != 2 ||
      cast<RankedTensorType>(rhs).getRank() != 2)
    return emitOptionalError(loc, "expected two matrices, found ", lhs, " and ",
                             rhs);
  return success();
}

static int64_t matmulFlops(Type result, int64_t inner) {
  return 2 * inner * cast<RankedTensorType>(result).getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.dense
//===----------------------------------------------------------------------===//

LogicalResult DenseOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  if (failed(verifyMatrices(loc, input, weight)))
    return failure();
  if (input.getDimSize(1) != weight.getDimSize(1))
    return emitOptionalError(loc, "expected a weight of ", input.getDimSize(1),
                             " columns for input ", input, ", found ", weight);
  if (Value bias = adaptor.getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    if (type.getDimSize(0) != weight.getDimSize(0))
      return emitOptionalError(loc, "expected a bias of ", weight.getDimSize(0),
                               " elements for weight ", weight, ", found ",
                               type);
  }
  inferred.push_back(RankedTensorType::get(
      {input.getDimSize(0), weight.getDimSize(0)}, input.getElementType()));
  return success();
}

LogicalResult DenseOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0], &w = operands[1];
  ReferenceValue y({x.dim(0), w.dim(0)});
  for (int64_t n = 0; n < x.dim(0); ++n)
    for (int64_t u = 0; u < w.dim(0); ++u) {
      double sum = getBias() ? operands[2].data[u] : 0.0;
      for (int64_t i = 0; i < x.dim(1); ++i)
        sum += x.at(n, i) * w.at(u, i);
      y.at(n, u) = sum;
    }
  results.push_back(std::move(y));
  return success();
}

SmallVector<Value> DenseOp::savedForBackward() {
  return {getInput(), getWeight()};
}

LogicalResult DenseOp::buildBackward(BackwardContext &context) {
  OpBuilder &b = context.builder;
  Value dy = context.gradResults[0];
  if (context.needed[0])
    context.gradOperands[0] =
        DenseGradInputOp::create(b, context.loc, dy, getWeight());
  if (context.needed[1])
    context.gradOperands[1] =
        DenseGradWeightOp::create(b, context.loc, dy, getInput());
  if (getBias() && context.needed[2])
    context.gradOperands[2] =
        BiasGradOp::create(b, context.loc, dy, context.valid);
  return success();
}

ErrorBounds DenseOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                 ArrayRef<ReferenceValue>) {
  int64_t samples = operands[0].value.dim(0), units = operands[1].value.dim(0),
          features = operands[1].value.dim(1);
  SumErrors sums(samples * units);
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t u = 0; u < units; ++u) {
      for (int64_t k = 0; k < features; ++k)
        sums.addProduct(n * units + u, operands[0], n * features + k,
                        operands[1], u * features + k);
      if (operands.size() > 2)
        sums.add(n * units + u, operands[2], u);
    }
  return sums.get();
}

int64_t DenseOp::getFlops() {
  return matmulFlops(getType(), getInput().getType().getDimSize(1));
}

std::vector<LayerSpec> DenseOp::getLayerSpecs() {
  LayerSpec spec{"dense", LayerSpec::Kind::Layer,
                 "Fully connected layer, `y[n, u] = sum over i of x[n, i] * "
                 "weight[u, i] + bias[u]`."};
  spec.keys = {
      {"units", KeyType::Integer, "Number of outputs.", {}, 1.0, 1 << 20},
      {"bias", KeyType::Boolean, "Whether a bias is added.", "true"}};
  spec.parameters = {
      {"weight", BOOSTC_ROLE_WEIGHT, "uniform_fan_in", "`[units, inputs]`."},
      {"bias", BOOSTC_ROLE_BIAS, "uniform_fan_in", "`[units]`."}};
  return {spec};
}

FailureOr<SmallVector<Value>> DenseOp::buildLayer(LayerBuilder &layer) {
  Value input = layer.inputs[0];
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getRank() != 2)
    return layer.emitError("op")
           << "dense needs one feature dimension per sample, found "
           << type.getRank() - 1 << " (" << type
           << " with the batch); add a flatten layer before it";
  int64_t units = layer.getInteger("units"), inputs = type.getDimSize(1);
  FailureOr<Value> weight =
      layer.parameter("weight", {units, inputs}, inputs, units);
  if (failed(weight))
    return failure();
  Value bias;
  if (layer.getBoolean("bias")) {
    FailureOr<Value> parameter =
        layer.parameter("bias", {units}, inputs, units);
    if (failed(parameter))
      return failure();
    bias = *parameter;
  }
  return SmallVector<Value>{
      DenseOp::create(layer.builder, layer.loc, input, *weight, bias)};
}

//===----------------------------------------------------------------------===//
// nn.dense_grad_input
//===----------------------------------------------------------------------===//

LogicalResult
DenseGradInputOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                   Adaptor adaptor,
                                   SmallVectorImpl<Type> &inferred) {
  auto gradient = cast<RankedTensorType>(adaptor.getGradient().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  if (failed(verifyMatrices(loc, gradient, weight)))
    return failure();
  if (gradient.getDimSize(1) != weight.getDimSize(0))
    return emitOptionalError(loc, "expected a weight of ",
                             gradient.getDimSize(1), " rows for gradient ",
                             gradient, ", found ", weight);
  inferred.push_back(
      RankedTensorType::get({gradient.getDimSize(0), weight.getDimSize(1)},
                            gradient.getElementType()));
  return success();
}

LogicalResult
DenseGradInputOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &w = operands[1];
  ReferenceValue dx({dy.dim(0), w.dim(1)});
  for (int64_t n = 0; n < dy.dim(0); ++n)
    for (int64_t u = 0; u < w.dim(0); ++u)
      for (int64_t i = 0; i < w.dim(1); ++i)
        dx.at(n, i) += dy.at(n, u) * w.at(u, i);
  results.push_back(std::move(dx));
  return success();
}

ErrorBounds DenseGradInputOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  int64_t samples = operands[0].value.dim(0), units = operands[1].value.dim(0),
          features = operands[1].value.dim(1);
  SumErrors sums(samples * features);
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t k = 0; k < features; ++k)
      for (int64_t u = 0; u < units; ++u)
        sums.addProduct(n * features + k, operands[0], n * units + u,
                        operands[1], u * features + k);
  return sums.get();
}

int64_t DenseGradInputOp::getFlops() {
  return matmulFlops(getType(), getWeight().getType().getDimSize(0));
}

//===----------------------------------------------------------------------===//
// nn.dense_grad_weight
//===----------------------------------------------------------------------===//

LogicalResult
DenseGradWeightOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &inferred) {
  auto gradient = cast<RankedTensorType>(adaptor.getGradient().getType());
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(verifyMatrices(loc, gradient, input)))
    return failure();
  if (gradient.getDimSize(0) != input.getDimSize(0))
    return emitOptionalError(loc, "expected an input of ",
                             gradient.getDimSize(0), " rows for gradient ",
                             gradient, ", found ", input);
  inferred.push_back(
      RankedTensorType::get({gradient.getDimSize(1), input.getDimSize(1)},
                            gradient.getElementType()));
  return success();
}

LogicalResult
DenseGradWeightOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  ReferenceValue dw({dy.dim(1), x.dim(1)});
  for (int64_t n = 0; n < dy.dim(0); ++n)
    for (int64_t u = 0; u < dy.dim(1); ++u)
      for (int64_t i = 0; i < x.dim(1); ++i)
        dw.at(u, i) += dy.at(n, u) * x.at(n, i);
  results.push_back(std::move(dw));
  return success();
}

ErrorBounds DenseGradWeightOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue>) {
  int64_t samples = operands[0].value.dim(0), units = operands[0].value.dim(1),
          features = operands[1].value.dim(1);
  SumErrors sums(units * features);
  for (int64_t u = 0; u < units; ++u)
    for (int64_t k = 0; k < features; ++k)
      for (int64_t n = 0; n < samples; ++n)
        sums.addProduct(u * features + k, operands[0], n * units + u,
                        operands[1], n * features + k);
  return sums.get();
}

int64_t DenseGradWeightOp::getFlops() {
  return matmulFlops(getType(), getInput().getType().getDimSize(0));
}
