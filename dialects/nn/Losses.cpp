#include "dialects/nn/Losses.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/OperandTypes.h"
#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult boostc::nn::verifyTargets(std::optional<Location> loc,
                                        Type outputs, Type targets) {
  if (outputs != targets)
    return emitOptionalError(
        loc, "expected outputs and targets of one shape, found ", outputs,
        " and ", targets);
  if (cast<RankedTensorType>(outputs).getRank() < 2)
    return emitOptionalError(loc, "expected outputs [batch, ...], found ",
                             outputs);
  return success();
}

LogicalResult boostc::nn::verifyWeights(std::optional<Location> loc,
                                        ArrayRef<int64_t> expected,
                                        Value weights) {
  if (!weights)
    return success();
  RankedTensorType type = getTensorType(loc, weights);
  if (!type)
    return failure();
  if (type.getShape() == expected)
    return success();
  return emitOptionalError(loc, "expected weights [", expected, "], found ",
                           weights.getType());
}

/// What the terms of a sample are divided by.
static double getDivisor(SampleLoss kind, int64_t elements) {
  return kind == SampleLoss::Mean ? static_cast<double>(elements) : 1.0;
}

/// What a sample counts: as many as it has rows where these are summed.
static int64_t getCount(SampleLoss kind, ArrayRef<int64_t> shape) {
  return kind == SampleLoss::Mean ? 1 : countRowsPerSample(shape);
}

/// `value` / `divisor`.
static Value buildShare(OpBuilder &b, Location loc, Value value,
                        double divisor) {
  if (divisor == 1.0)
    return value;
  return arith::DivFOp::create(b, loc, value,
                               buildRoundedConstant(b, loc, divisor));
}

/// The weight of element `i` of `size`; 1 without weights, which are operand
/// `index`.
static double getWeight(ArrayRef<ReferenceValue> operands, size_t index,
                        int64_t i, int64_t size) {
  if (operands.size() <= index)
    return 1.0;
  const ReferenceValue &weights = operands[index];
  return weights.data[i / (size / weights.size())];
}
static Approximate getWeight(ArrayRef<Bounded> operands, size_t index,
                             int64_t i, int64_t size) {
  if (operands.size() <= index)
    return Approximate(1.0);
  const Bounded &weights = operands[index];
  return weights.at(i / (size / weights.value.size()));
}

/// How loops over [batch, ...] read weights of the first dimensions.
static AffineMap getWeightMap(OpBuilder &builder, unsigned loops,
                              Value weights) {
  unsigned rank = cast<RankedTensorType>(weights.getType()).getRank();
  return projection(builder, loops,
                    llvm::to_vector(llvm::seq<unsigned>(0, rank)));
}

LogicalResult
boostc::nn::evaluateLoss(const ScalarRule &loss, SampleLoss kind,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &outputs = operands[0], &targets = operands[1];
  int64_t valid = static_cast<int64_t>(operands[2].item());
  int64_t elements = outputs.size() / outputs.dim(0);
  double sum = 0.0;
  for (int64_t i = 0; i < valid * elements; ++i)
    sum += getWeight(operands, 3, i, outputs.size()) *
           loss.evaluate({outputs.data[i], targets.data[i]});
  results.push_back(ReferenceValue::scalar(sum / getDivisor(kind, elements)));
  results.push_back(ReferenceValue::scalar(
      static_cast<double>(valid * getCount(kind, outputs.shape))));
  return success();
}

SmallVector<Value> boostc::nn::lowerLoss(const ScalarRule &loss,
                                         SampleLoss kind, OpBuilder &builder,
                                         Location loc, ValueRange operands) {
  auto type = cast<RankedTensorType>(operands[0].getType());
  unsigned rank = type.getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  double divisor = getDivisor(kind, type.getNumElements() / type.getDimSize(0));
  auto samples =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  SmallVector<Value> read(operands.take_front(2));
  SmallVector<AffineMap> maps = {all, all};
  bool isWeighted = operands.size() > 3;
  if (isWeighted) {
    read.push_back(operands[3]);
    maps.push_back(getWeightMap(builder, rank, operands[3]));
  }
  Value sums = buildReduction(
      builder, loc, samples, builder.getF32FloatAttr(0.0), rank, {0}, read,
      maps, [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value term = buildScalarRule(b, nested, loss, args.take_front(2));
        if (isWeighted)
          term = arith::MulFOp::create(b, nested, args[2], term);
        return buildSumStep(b, nested, args.back(), term);
      });
  Value sum = buildReduction(
      builder, loc, RankedTensorType::get({}, type.getElementType()),
      builder.getF32FloatAttr(0.0), 1, {}, {sums, operands[2]},
      {builder.getMultiDimIdentityMap(1), projection(builder, 1, {})},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value share = buildShare(b, nested, args[0], divisor);
        Value term = arith::SelectOp::create(
            b, nested, buildIsValid(b, nested, 0, args[1]), share,
            buildConstant(b, nested, 0.0));
        return buildSumStep(b, nested, args[2], term);
      });
  return {sum, buildRowCount(builder, loc, operands[2],
                             getCount(kind, type.getShape()))};
}

/// Without a weight, 1, nothing is multiplied.
static Approximate weigh(Approximate weight, Approximate term) {
  return weight.value == 1.0 && weight.error == 0.0 ? term : weight * term;
}

ErrorBounds boostc::nn::boundLoss(const ScalarRule &loss, SampleLoss kind,
                                  ArrayRef<Bounded> operands) {
  const Bounded &outputs = operands[0], &targets = operands[1];
  int64_t samples = outputs.value.dim(0);
  int64_t elements = outputs.value.size() / samples;
  ApproximateSum sum;
  for (int64_t n = 0; n < samples; ++n) {
    if (n >= static_cast<int64_t>(operands[2].value.item())) {
      sum.add(0.0);
      continue;
    }
    ApproximateSum sample;
    for (int64_t i = n * elements; i < (n + 1) * elements; ++i)
      sample.add(weigh(getWeight(operands, 3, i, outputs.value.size()),
                       loss.bound({outputs.at(i), targets.at(i)})));
    Approximate divisor(getDivisor(kind, elements));
    sum.add(divisor.value == 1.0 ? sample.get() : sample.get() / divisor);
  }
  return {{sum.get().error}};
}

LogicalResult
boostc::nn::evaluateLossGrad(const ScalarRule &gradient,
                             ArrayRef<ReferenceValue> operands,
                             SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &outputs = operands[1], &targets = operands[2];
  int64_t valid = static_cast<int64_t>(operands[3].item());
  int64_t elements = outputs.size() / outputs.dim(0);
  ReferenceValue result(outputs.shape);
  for (int64_t i = 0; i < valid * elements; ++i) {
    double dsum =
        operands[0].item() * getWeight(operands, 4, i, outputs.size());
    result.data[i] =
        gradient.evaluate({dsum, outputs.data[i], targets.data[i]}) /
        static_cast<double>(elements);
  }
  results.push_back(std::move(result));
  return success();
}

SmallVector<Value> boostc::nn::lowerLossGrad(const ScalarRule &gradient,
                                             OpBuilder &builder, Location loc,
                                             ValueRange operands) {
  auto type = cast<RankedTensorType>(operands[1].getType());
  unsigned rank = type.getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap scalar = projection(builder, rank, {});
  auto divisor =
      static_cast<double>(type.getNumElements() / type.getDimSize(0));
  SmallVector<AffineMap> maps = {scalar, all, all, scalar};
  bool isWeighted = operands.size() > 4;
  if (isWeighted)
    maps.push_back(getWeightMap(builder, rank, operands[4]));
  return {buildElementwise(
      builder, loc, type, operands, maps,
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        SmallVector<Value> given(args.take_front(3));
        if (isWeighted)
          given[0] = arith::MulFOp::create(b, nested, given[0], args[4]);
        Value scaled = buildScalarRule(b, nested, gradient, given);
        Value share = buildShare(b, nested, scaled, divisor);
        return arith::SelectOp::create(b, nested,
                                       buildIsValid(b, nested, 0, args[3]),
                                       share, buildConstant(b, nested, 0.0));
      })};
}

ErrorBounds boostc::nn::boundLossGrad(const ScalarRule &gradient,
                                      ArrayRef<Bounded> operands) {
  const Bounded &outputs = operands[1], &targets = operands[2];
  int64_t elements = outputs.value.size() / outputs.value.dim(0);
  int64_t valid = static_cast<int64_t>(operands[3].value.item());
  std::vector<double> errors(outputs.value.size(), 0.0);
  for (int64_t i = 0; i < elements * valid; ++i) {
    Approximate dsum = weigh(getWeight(operands, 4, i, outputs.value.size()),
                             operands[0].at(0));
    errors[i] = (gradient.bound({dsum, outputs.at(i), targets.at(i)}) /
                 Approximate(static_cast<double>(elements)))
                    .error;
  }
  return {errors};
}

bool boostc::nn::hasNumbersAsTargets(LayerBuilder &layer) {
  return cast<RankedTensorType>(layer.inputs[1].getType())
      .getElementType()
      .isF32();
}

FailureOr<Value> boostc::nn::buildTargets(LayerBuilder &layer) {
  auto outputs = cast<RankedTensorType>(layer.inputs[0].getType());
  if (hasNumbersAsTargets(layer)) {
    if (layer.inputs[1].getType() == outputs)
      return layer.inputs[1];
    return layer.emitError("target")
           << layer.spec.name << " compares the last layer's output, "
           << outputs << " with the batch, with targets of that shape, found "
           << layer.inputs[1].getType();
  }
  if (failed(checkLabels(layer)))
    return failure();
  return Value(
      OneHotOp::create(layer.builder, layer.loc, outputs, layer.inputs[1]));
}

FailureOr<Value> boostc::nn::buildWeights(LayerBuilder &layer,
                                          ArrayRef<int64_t> shape) {
  if (layer.inputs.size() < 4)
    return Value();
  Value weights = layer.inputs[3];
  auto type = cast<RankedTensorType>(weights.getType());
  if (type.getShape() == shape)
    return weights;
  if (type.getRank() == 1) {
    auto axes = llvm::to_vector(
        llvm::seq<int64_t>(1, static_cast<int64_t>(shape.size())));
    return Value(BroadcastOp::create(
        layer.builder, layer.loc,
        RankedTensorType::get(shape, type.getElementType()), weights, axes));
  }
  return layer.emitError("op")
         << layer.spec.name << " takes one weight for each sample"
         << (shape.size() > 1 ? " or for each label" : "") << ", "
         << RankedTensorType::get(shape, type.getElementType())
         << " with the batch, found " << type;
}

SmallVector<Value> boostc::nn::getMeasure(LayerBuilder &layer, Operation *op,
                                          Value weights) {
  SmallVector<Value> measure(op->getResults());
  if (weights)
    measure.push_back(WeightSumOp::create(layer.builder, layer.loc, weights,
                                          layer.inputs[2]));
  return measure;
}
