#include "dialects/interfaces/OperandTypes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static constexpr StringLiteral kNormalizedDense = "normalized_dense";
/// A normalised layer divides by the root of this at least: MindSpore's
/// epsilon.
static constexpr double kMinSquaredLength = 1e-4;

/// `value` has rows, which `weight`, a matrix, is multiplied by.
static LogicalResult verifyOperands(std::optional<Location> loc, Type value,
                                    Type weight) {
  if (cast<RankedTensorType>(value).getRank() < 2 ||
      cast<RankedTensorType>(weight).getRank() != 2)
    return emitOptionalError(
        loc, "expected a value of rank 2 or more and a matrix, found ", value,
        " and ", weight);
  return verifySameElements(loc, value, weight);
}

/// `type` with another last dimension.
static RankedTensorType withLast(RankedTensorType type, int64_t extent) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = extent;
  return RankedTensorType::get(shape, type.getElementType());
}

static int64_t matmulFlops(Type result, int64_t inner) {
  return 2 * inner * cast<RankedTensorType>(result).getNumElements();
}

/// Calls visit(x, w, y) with the offsets of each x[n, k] weight[u, k], a term
/// of y[n, u], in the order of n, u, k; n counts the rows of a tensor x.
template <typename Visit>
static void forEachTerm(ArrayRef<int64_t> x, ArrayRef<int64_t> weight,
                        Visit visit) {
  int64_t rows = 1, units = weight[0], features = weight[1];
  for (int64_t extent : x.drop_back())
    rows *= extent;
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t u = 0; u < units; ++u)
      for (int64_t k = 0; k < features; ++k)
        visit(n * features + k, u * features + k, n * units + u);
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
  if (failed(verifyOperands(loc, input, weight)))
    return failure();
  if (input.getShape().back() != weight.getDimSize(1))
    return emitOptionalError(loc, "expected a weight of ",
                             input.getShape().back(), " columns for input ",
                             input, ", found ", weight);
  if (Value bias = adaptor.getBias()) {
    RankedTensorType type = getTensorType(loc, bias);
    if (!type)
      return failure();
    if (type.getRank() != 1 || type.getDimSize(0) != weight.getDimSize(0))
      return emitOptionalError(loc, "expected a bias of ", weight.getDimSize(0),
                               " elements for weight ", weight, ", found ",
                               type);
    if (failed(verifyBiasElements(loc, type, weight)))
      return failure();
  }
  inferred.push_back(withLast(input, weight.getDimSize(0)));
  return success();
}

LogicalResult DenseOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0], &w = operands[1];
  ReferenceValue y = ReferenceValue::zeros(getType());
  if (getBias())
    for (int64_t i = 0; i < y.size(); ++i)
      y.data[i] = operands[2].data[i % w.dim(0)];
  forEachTerm(x.shape, w.shape, [&](int64_t xi, int64_t wi, int64_t yi) {
    y.data[yi] += x.data[xi] * w.data[wi];
  });
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
    context.gradOperands[2] = BiasGradOp::create(
        b, context.loc, dy, context.valid, getType().getRank() - 1);
  return success();
}

ErrorBounds DenseOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                 ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTerm(operands[0].value.shape, operands[1].value.shape,
              [&](int64_t xi, int64_t wi, int64_t yi) {
                sums[yi].addProduct(operands[0].at(xi), operands[1].at(wi));
              });
  if (getBias())
    for (int64_t i = 0; i < results[0].size(); ++i)
      sums[i].add(operands[2].at(i % results[0].shape.back()));
  return getErrors(sums);
}

int64_t DenseOp::getFlops() {
  return matmulFlops(getType(), getWeight().getType().getDimSize(1));
}

std::vector<LayerSpec> DenseOp::getLayerSpecs() {
  LayerSpec spec{"dense", LayerSpec::Kind::Layer,
                 "Fully connected layer on the last dimension, `y[n, ..., u] "
                 "= sum over i of x[n, ..., i] * weight[u, i] + bias[u]`."};
  spec.keys = {
      {"units", KeyType::Integer, "Number of outputs.", {}, 1.0, 1 << 20},
      {"bias", KeyType::Boolean, "Whether a bias is added.", "true"}};
  spec.parameters = {
      {"weight", BOOSTC_ROLE_WEIGHT, "uniform_fan_in", "`[units, inputs]`."},
      {"bias", BOOSTC_ROLE_BIAS, "uniform_fan_in", "`[units]`."}};
  spec.normalizedForm = kNormalizedDense;
  LayerSpec normalized{
      kNormalizedDense, LayerSpec::Kind::Layer,
      "Fully connected layer of normalised vectors, `y[n, ..., u] = multiplier "
      "* cosine of x[n, ..., :] and weight[u, :]`; a vector shorter than 0.01 "
      "counts as one of that length. The head of "
      "[less_bn](boosts.md#less_bn)."};
  normalized.keys = {spec.keys[0]};
  normalized.parameters = {
      spec.parameters[0],
      {"multiplier", BOOSTC_ROLE_MULTIPLIER, "ones", "`[1]`."}};
  return {spec, normalized};
}

/// multiplier * cosine(x, weight): MindSpore's head for less_bn.
static FailureOr<SmallVector<Value>> buildNormalizedDense(LayerBuilder &layer,
                                                          Value weight) {
  FailureOr<Value> multiplier = layer.parameter("multiplier", {1}, 1, 1);
  if (failed(multiplier))
    return failure();
  OpBuilder &b = layer.builder;
  auto normalize = [&](Value value) -> Value {
    return L2NormalizeOp::create(b, layer.loc, value.getType(), value,
                                 b.getF64FloatAttr(kMinSquaredLength));
  };
  Value cosines = DenseOp::create(b, layer.loc, normalize(layer.inputs[0]),
                                  normalize(weight), Value());
  return SmallVector<Value>{MultiplierOp::create(
      b, layer.loc, cosines.getType(), cosines, *multiplier)};
}

FailureOr<SmallVector<Value>> DenseOp::buildLayer(LayerBuilder &layer) {
  Value input = layer.inputs[0];
  auto type = cast<RankedTensorType>(input.getType());
  int64_t units = layer.getInteger("units"), inputs = type.getShape().back();
  FailureOr<Value> weight =
      layer.parameter("weight", {units, inputs}, inputs, units);
  if (failed(weight))
    return failure();
  if (layer.spec.name == kNormalizedDense)
    return buildNormalizedDense(layer, *weight);
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
  if (failed(verifyOperands(loc, gradient, weight)))
    return failure();
  if (gradient.getShape().back() != weight.getDimSize(0))
    return emitOptionalError(loc, "expected a weight of ",
                             gradient.getShape().back(), " rows for gradient ",
                             gradient, ", found ", weight);
  inferred.push_back(withLast(gradient, weight.getDimSize(1)));
  return success();
}

LogicalResult
DenseGradInputOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &w = operands[1];
  ReferenceValue dx = ReferenceValue::zeros(getType());
  forEachTerm(dx.shape, w.shape, [&](int64_t xi, int64_t wi, int64_t yi) {
    dx.data[xi] += dy.data[yi] * w.data[wi];
  });
  results.push_back(std::move(dx));
  return success();
}

ErrorBounds DenseGradInputOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTerm(results[0].shape, operands[1].value.shape,
              [&](int64_t xi, int64_t wi, int64_t yi) {
                sums[xi].addProduct(operands[0].at(yi), operands[1].at(wi));
              });
  return getErrors(sums);
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
  if (gradient.getRank() < 2 || input.getRank() < 2 ||
      gradient.getShape().drop_back() != input.getShape().drop_back())
    return emitOptionalError(loc,
                             "expected a gradient and an input of rank 2 or "
                             "more that differ in the last dimension alone, "
                             "found ",
                             gradient, " and ", input);
  if (failed(verifySameElements(loc, gradient, input)))
    return failure();
  // Gradients of parameters are of f32.
  inferred.push_back(RankedTensorType::get(
      {gradient.getShape().back(), input.getShape().back()},
      Float32Type::get(gradient.getContext())));
  return success();
}

LogicalResult
DenseGradWeightOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  ReferenceValue dw = ReferenceValue::zeros(getType());
  forEachTerm(x.shape, dw.shape, [&](int64_t xi, int64_t wi, int64_t yi) {
    dw.data[wi] += dy.data[yi] * x.data[xi];
  });
  results.push_back(std::move(dw));
  return success();
}

ErrorBounds DenseGradWeightOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTerm(operands[1].value.shape, results[0].shape,
              [&](int64_t xi, int64_t wi, int64_t yi) {
                sums[wi].addProduct(operands[0].at(yi), operands[1].at(xi));
              });
  return getErrors(sums);
}

int64_t DenseGradWeightOp::getFlops() {
  RankedTensorType input = getInput().getType();
  return matmulFlops(getType(),
                     input.getNumElements() / input.getShape().back());
}

std::optional<KroneckerLayer> DenseGradWeightOp::getKroneckerLayer() {
  return KroneckerLayer{.input = getInput(), .gradient = getGradient()};
}
