#include "dialects/nn/NnDialect.h"
#include <cmath>

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

namespace {
/// A row's normalised elements and 1 / sqrt(v + epsilon).
struct NormalizedRow {
  std::vector<double> z;
  double scale;

  NormalizedRow(const double *x, int64_t size, double epsilon)
      : z(x, x + size) {
    double mean = 0.0, variance = 0.0, count = static_cast<double>(size);
    for (double element : z)
      mean += element / count;
    for (double &element : z) {
      element -= mean;
      variance += element * element / count;
    }
    scale = 1.0 / std::sqrt(variance + epsilon);
    for (double &element : z)
      element *= scale;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// nn.layer_norm
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  return verifyRows(*this, getInput().getType(), getGamma().getType());
}

LogicalResult LayerNormOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  int64_t size = operands[1].size();
  for (int64_t start = 0; start < result.size(); start += size) {
    NormalizedRow row(&operands[0].data[start], size,
                      getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i)
      result.data[start + i] =
          operands[1].data[i] * row.z[i] + operands[2].data[i];
  }
  results.push_back(std::move(result));
  return success();
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
  ReferenceValue result = operands[0];
  int64_t size = operands[2].size();
  for (int64_t start = 0; start < result.size(); start += size) {
    NormalizedRow row(&operands[1].data[start], size,
                      getEpsilon().convertToDouble());
    double mean = 0.0, product = 0.0, count = static_cast<double>(size);
    for (int64_t i = 0; i < size; ++i) {
      result.data[start + i] *= operands[2].data[i];
      mean += result.data[start + i] / count;
      product += result.data[start + i] * row.z[i] / count;
    }
    for (int64_t i = 0; i < size; ++i)
      result.data[start + i] =
          (result.data[start + i] - mean - row.z[i] * product) * row.scale;
  }
  results.push_back(std::move(result));
  return success();
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
  ReferenceValue gamma = ReferenceValue::zeros(getGamma().getType());
  ReferenceValue beta = gamma;
  const ReferenceValue &dy = operands[0], &x = operands[1];
  int64_t size = gamma.size(), sample = x.size() / x.dim(0);
  int64_t end = static_cast<int64_t>(operands[2].item()) * sample;
  for (int64_t start = 0; start < end; start += size) {
    NormalizedRow row(&x.data[start], size, getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i) {
      gamma.data[i] += dy.data[start + i] * row.z[i];
      beta.data[i] += dy.data[start + i];
    }
  }
  results.push_back(std::move(gamma));
  results.push_back(std::move(beta));
  return success();
}

int64_t LayerNormGradParametersOp::getFlops() {
  return 9 * getInput().getType().getNumElements();
}
