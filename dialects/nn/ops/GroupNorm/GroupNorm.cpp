#include "dialects/nn/NnDialect.h"
#include "dialects/nn/RowNorm.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// `parameters`: weight and bias, or what there is of them.
static LogicalResult verifyGroups(Operation *op, RankedTensorType input,
                                  int64_t groups, TypeRange parameters) {
  if (input.getRank() < 2)
    return op->emitOpError("expected an input of rank 2 or more, found ")
           << input;
  int64_t channels = input.getDimSize(1);
  if (groups < 1 || channels % groups != 0)
    return op->emitOpError("expected groups that divide ")
           << channels << " channels, found " << groups;
  for (Type type : parameters)
    if (cast<RankedTensorType>(type).getDimSize(0) != channels)
      return op->emitOpError("expected parameters of ")
             << channels << " elements for input " << input << ", found "
             << type;
  return success();
}

/// The elements of a sample's group are neighbours in memory: they are a row.
static RowNorm getRows(RankedTensorType type, int64_t groups, APFloat epsilon) {
  int64_t channels = type.getDimSize(1);
  int64_t inner = type.getNumElements() / (type.getDimSize(0) * channels);
  return {channels / groups * inner, channels, inner,
          epsilon.convertToDouble()};
}

//===----------------------------------------------------------------------===//
// nn.group_norm
//===----------------------------------------------------------------------===//

LogicalResult GroupNormOp::verify() {
  if (!getWeight() != !getBias())
    return emitOpError("expected weight and bias, or neither of them");
  return verifyGroups(*this, getInput().getType(), getGroups(),
                      getOperands().drop_front().getTypes());
}

LogicalResult GroupNormOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(getRows(getInput().getType(), getGroups(), getEpsilon())
                        .evaluate(operands));
  return success();
}

ErrorBounds GroupNormOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  return getRows(getInput().getType(), getGroups(), getEpsilon())
      .boundErrors(operands);
}

SmallVector<Value> GroupNormOp::savedForBackward() {
  SmallVector<Value> saved = {getInput()};
  if (getWeight())
    saved.push_back(getWeight());
  return saved;
}

LogicalResult GroupNormOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = GroupNormGradInputOp::create(
        context.builder, context.loc, context.gradResults[0], getInput(),
        getWeight(), getGroupsAttr(), getEpsilonAttr());
  if (!getWeight() || (!context.needed[1] && !context.needed[2]))
    return success();
  Type type = getWeight().getType();
  auto gradients = GroupNormGradParametersOp::create(
      context.builder, context.loc, TypeRange{type, type},
      context.gradResults[0], getInput(), context.valid, getGroupsAttr(),
      getEpsilonAttr());
  for (unsigned i : {0, 1})
    if (context.needed[i + 1])
      context.gradOperands[i + 1] = gradients.getResult(i);
  return success();
}

int64_t GroupNormOp::getFlops() { return 8 * getType().getNumElements(); }

std::vector<LayerSpec> GroupNormOp::getLayerSpecs() {
  LayerSpec spec{
      "group_norm", LayerSpec::Kind::Layer,
      "Group normalisation, `y = weight * (x - mean) / sqrt(variance + eps) + "
      "bias`, with mean and variance of each sample over each group of "
      "channels, and a weight and a bias per channel."};
  spec.keys = {
      {"groups", KeyType::Integer,
       "Groups of neighbouring channels; must divide the channels. 1 "
       "normalises the whole sample, the number of channels each alone.",
       "", 1.0, 1048576.0},
      {"eps", KeyType::Number, "Added to the variance.", "1e-5", 1e-12, 1.0},
      {"affine", KeyType::Boolean, "Whether there are a weight and a bias.",
       "true"}};
  spec.parameters = {
      {"weight", BOOSTC_ROLE_NORM_SCALE, "ones", "Factors, `[channels]`."},
      {"bias", BOOSTC_ROLE_NORM_SHIFT, "zeros", "Summands, `[channels]`."}};
  return {spec};
}

FailureOr<SmallVector<Value>> GroupNormOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  int64_t channels = type.getDimSize(1), groups = layer.getInteger("groups");
  if (channels % groups != 0)
    return layer.emitError("groups")
           << groups << " groups do not divide " << channels
           << " channels; name a divisor of the channels";
  Value parameters[2];
  if (layer.getBoolean("affine"))
    for (auto [value, spec] : llvm::zip(parameters, layer.spec.parameters)) {
      FailureOr<Value> parameter =
          layer.parameter(spec.name, {channels}, channels, channels);
      if (failed(parameter))
        return failure();
      value = *parameter;
    }
  return SmallVector<Value>{GroupNormOp::create(
      layer.builder, layer.loc, type, layer.inputs[0], parameters[0],
      parameters[1], layer.builder.getI64IntegerAttr(groups),
      layer.builder.getF64FloatAttr(layer.getNumber("eps")))};
}

//===----------------------------------------------------------------------===//
// nn.group_norm_grad_input
//===----------------------------------------------------------------------===//

LogicalResult GroupNormGradInputOp::verify() {
  return verifyGroups(*this, getInput().getType(), getGroups(),
                      getOperands().drop_front(2).getTypes());
}

LogicalResult
GroupNormGradInputOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(getRows(getInput().getType(), getGroups(), getEpsilon())
                        .evaluateGradInput(operands));
  return success();
}

ErrorBounds GroupNormGradInputOp::boundErrors(ReferenceContext &,
                                              ArrayRef<Bounded> operands,
                                              ArrayRef<ReferenceValue>) {
  return getRows(getInput().getType(), getGroups(), getEpsilon())
      .boundGradInput(operands);
}

int64_t GroupNormGradInputOp::getFlops() {
  return 14 * getInput().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.group_norm_grad_parameters
//===----------------------------------------------------------------------===//

LogicalResult GroupNormGradParametersOp::verify() {
  return verifyGroups(*this, getInput().getType(), getGroups(),
                      getResultTypes());
}

LogicalResult
GroupNormGradParametersOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  getRows(getInput().getType(), getGroups(), getEpsilon())
      .evaluateGradParameters(operands, getWeight().getType(), results);
  return success();
}

ErrorBounds GroupNormGradParametersOp::boundErrors(ReferenceContext &,
                                                   ArrayRef<Bounded> operands,
                                                   ArrayRef<ReferenceValue>) {
  return getRows(getInput().getType(), getGroups(), getEpsilon())
      .boundGradParameters(operands);
}

int64_t GroupNormGradParametersOp::getFlops() {
  return 9 * getInput().getType().getNumElements();
}
