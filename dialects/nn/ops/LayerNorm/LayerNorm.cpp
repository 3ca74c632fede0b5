#include "dialects/nn/NnDialect.h"
#include "dialects/nn/RowNorm.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static LogicalResult verifyRows(Operation *op, RankedTensorType input,
                                RankedTensorType gamma) {
  int64_t dims = gamma.getRank();
  if (dims < 1 || dims >= input.getRank() ||
      input.getShape().take_back(dims) != gamma.getShape())
    return op->emitOpError("expected parameters of the shape of trailing "
                           "dimensions of ")
           << input << ", found " << gamma;
  return success();
}

static RowNorm getRows(Type parameters, APFloat epsilon) {
  int64_t size = cast<RankedTensorType>(parameters).getNumElements();
  return {size, size, 1, epsilon.convertToDouble()};
}

//===----------------------------------------------------------------------===//
// nn.layer_norm
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  return verifyRows(*this, getInput().getType(), getGamma().getType());
}

LogicalResult LayerNormOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(
      getRows(getGamma().getType(), getEpsilon()).evaluate(operands));
  return success();
}

ErrorBounds LayerNormOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  return getRows(getGamma().getType(), getEpsilon()).boundErrors(operands);
}

SmallVector<Value> LayerNormOp::savedForBackward() {
  return {getInput(), getGamma()};
}

LogicalResult LayerNormOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = LayerNormGradInputOp::create(
        context.builder, context.loc, context.gradResults[0], getInput(),
        getGamma(), getEpsilonAttr());
  if (!context.needed[1] && !context.needed[2])
    return success();
  Type type = getGamma().getType();
  auto gradients = LayerNormGradParametersOp::create(
      context.builder, context.loc, TypeRange{type, type},
      context.gradResults[0], getInput(), context.valid, getEpsilonAttr());
  for (unsigned i : {0, 1})
    if (context.needed[i + 1])
      context.gradOperands[i + 1] = gradients.getResult(i);
  return success();
}

int64_t LayerNormOp::getFlops() { return 8 * getType().getNumElements(); }

std::vector<LayerSpec> LayerNormOp::getLayerSpecs() {
  LayerSpec spec{
      "layer_norm", LayerSpec::Kind::Layer,
      "Layer normalisation, `y = gamma * (x - mean) / sqrt(variance + "
      "epsilon) + beta` over the last dimensions."};
  spec.keys = {{"dimensions", KeyType::Integer,
                "How many trailing dimensions mean and variance run over.", "1",
                1.0, 7.0},
               {"epsilon", KeyType::Number, "Added to the variance.", "1e-5",
                1e-12, 1.0}};
  spec.parameters = {{"gamma", BOOSTC_ROLE_NORM_SCALE, "ones", "Factors."},
                     {"beta", BOOSTC_ROLE_NORM_SHIFT, "zeros", "Summands."}};
  return {spec};
}

FailureOr<SmallVector<Value>> LayerNormOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  int64_t dimensions = layer.getInteger("dimensions");
  if (dimensions >= type.getRank())
    return layer.emitError("dimensions")
           << "layer_norm is to run over " << dimensions
           << " dimensions, but a sample of its input " << type << " has "
           << type.getRank() - 1;
  ArrayRef<int64_t> shape = type.getShape().take_back(dimensions);
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  FailureOr<Value> gamma = layer.parameter("gamma", shape, size, size);
  if (failed(gamma))
    return failure();
  FailureOr<Value> beta = layer.parameter("beta", shape, size, size);
  if (failed(beta))
    return failure();
  return SmallVector<Value>{LayerNormOp::create(
      layer.builder, layer.loc, type, layer.inputs[0], *gamma, *beta,
      layer.builder.getF64FloatAttr(layer.getNumber("epsilon")))};
}

//===----------------------------------------------------------------------===//
// nn.layer_norm_grad_input
//===----------------------------------------------------------------------===//

LogicalResult LayerNormGradInputOp::verify() {
  return verifyRows(*this, getInput().getType(), getGamma().getType());
}

LogicalResult
LayerNormGradInputOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(
      getRows(getGamma().getType(), getEpsilon()).evaluateGradInput(operands));
  return success();
}

ErrorBounds LayerNormGradInputOp::boundErrors(ReferenceContext &,
                                              ArrayRef<Bounded> operands,
                                              ArrayRef<ReferenceValue>) {
  return getRows(getGamma().getType(), getEpsilon()).boundGradInput(operands);
}

int64_t LayerNormGradInputOp::getFlops() {
  return 14 * getInput().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.layer_norm_grad_parameters
//===----------------------------------------------------------------------===//

LogicalResult LayerNormGradParametersOp::verify() {
  return verifyRows(*this, getInput().getType(), getGamma().getType());
}

LogicalResult
LayerNormGradParametersOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  getRows(getGamma().getType(), getEpsilon())
      .evaluateGradParameters(operands, getGamma().getType(), results);
  return success();
}

ErrorBounds LayerNormGradParametersOp::boundErrors(ReferenceContext &,
                                                   ArrayRef<Bounded> operands,
                                                   ArrayRef<ReferenceValue>) {
  return getRows(getGamma().getType(), getEpsilon())
      .boundGradParameters(operands);
}

int64_t LayerNormGradParametersOp::getFlops() {
  return 9 * getInput().getType().getNumElements();
}

std::optional<KroneckerLayer> LayerNormGradParametersOp::getKroneckerLayer() {
  return std::nullopt;
}
