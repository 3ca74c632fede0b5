#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// The result of a reduction of `type` along `axes`.
static RankedTensorType getReducedType(RankedTensorType type,
                                       ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape;
  for (unsigned dim : withoutAxes(type.getRank(), axes))
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

/// Calls `visit` with each element's offset and that of its reduction.
static void forEachReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                           llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, to = 0, stride = 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (!llvm::is_contained(axes, static_cast<int64_t>(dim))) {
        to += rest % shape[dim] * stride;
        stride *= shape[dim];
      }
      rest /= shape[dim];
    }
    visit(i, to);
  }
}

//===----------------------------------------------------------------------===//
// nn.reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  bool isFine =
      !axes.empty() && axes.front() >= 1 && axes.back() < type.getRank();
  for (size_t i = 1; isFine && i < axes.size(); ++i)
    isFine = axes[i - 1] < axes[i];
  if (!isFine)
    return emitOptionalError(loc, "expected ascending axes from 1 to ",
                             type.getRank() - 1, " of ", type, ", found [",
                             axes, "]");
  inferred.push_back(getReducedType(type, axes));
  return success();
}

/// Elements that one of the result is made of.
static int64_t countReduced(ReduceOp op) {
  return op.getInput().getType().getNumElements() /
         cast<RankedTensorType>(op.getType()).getNumElements();
}

LogicalResult ReduceOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  bool isMax = getKind() == Reduction::Max;
  ReferenceValue result(cast<RankedTensorType>(getType()).getShape(),
                        isMax ? -std::numeric_limits<double>::infinity() : 0.0);
  const ReferenceValue &x = operands[0];
  forEachReduced(x.shape, getAxes(), [&](int64_t from, int64_t to) {
    double &y = result.data[to];
    y = isMax ? std::max(y, x.data[from]) : y + x.data[from];
  });
  if (getKind() == Reduction::Mean)
    for (double &y : result.data)
      y /= static_cast<double>(countReduced(*this));
  results.push_back(std::move(result));
  return success();
}

SmallVector<Value> ReduceOp::savedForBackward() {
  if (getKind() != Reduction::Max)
    return {};
  return {getInput(), getResult()};
}

LogicalResult ReduceOp::buildBackward(BackwardContext &context) {
  OpBuilder &b = context.builder;
  Value gradient = context.gradResults[0];
  if (getKind() == Reduction::Max) {
    context.gradOperands[0] = ReduceMaxGradOp::create(
        b, context.loc, gradient, getInput(), getResult(), getAxes());
    return success();
  }
  if (getKind() == Reduction::Mean)
    gradient = ScaleOp::create(
        b, context.loc, gradient,
        b.getF64FloatAttr(1.0 / static_cast<double>(countReduced(*this))));
  context.gradOperands[0] = BroadcastOp::create(
      b, context.loc, getInput().getType(), gradient, getAxes());
  return success();
}

FailureOr<SmallVector<Value>> ReduceOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType from = getInput().getType();
  auto to = cast<RankedTensorType>(getType());
  unsigned rank = from.getRank();
  bool isMax = getKind() == Reduction::Max;
  float start = isMax ? -std::numeric_limits<float>::infinity() : 0.0f;
  Value reduced = buildReduction(
      builder, getLoc(), to, builder.getF32FloatAttr(start), rank,
      withoutAxes(rank, getAxes()), getInput(),
      builder.getMultiDimIdentityMap(rank),
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        if (isMax)
          return arith::MaximumFOp::create(b, loc, args[0], args[1]);
        return buildSumStep(b, loc, args[1], args[0]);
      });
  if (getKind() != Reduction::Mean)
    return SmallVector<Value>{reduced};
  double count = static_cast<double>(countReduced(*this));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), to, reduced,
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::DivFOp::create(b, loc, args[0],
                                     buildRoundedConstant(b, loc, count));
      })};
}

ErrorBounds ReduceOp::boundErrors(ReferenceContext &context,
                                  ArrayRef<Bounded> operands,
                                  ArrayRef<ReferenceValue>) {
  std::vector<double> errors =
      evaluateOp(*this, context, getErrors(operands[0]));
  if (getKind() == Reduction::Max)
    return {errors};
  std::vector<double> magnitudes =
      evaluateOp(*this, context, getMagnitudes(operands[0], true));
  double terms = static_cast<double>(countReduced(*this));
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += gammaOf(terms + 1) * magnitudes[i];
  return {errors};
}

int64_t ReduceOp::getFlops() { return getInput().getType().getNumElements(); }

std::vector<LayerSpec> ReduceOp::getLayerSpecs() {
  std::vector<LayerSpec> specs = {
      {"reduce_sum", LayerSpec::Kind::Layer,
       "Sum of the elements along dimensions, which go."},
      {"reduce_mean", LayerSpec::Kind::Layer,
       "Mean of the elements along dimensions, which go."},
      {"reduce_max", LayerSpec::Kind::Layer,
       "Largest element along dimensions, which go."}};
  for (LayerSpec &spec : specs)
    spec.keys = {
        {"axes",
         KeyType::IntegerList,
         "The dimensions, counted without the batch; negative from the "
         "end.",
         {},
         -8.0,
         7.0},
        {"keep_dims", KeyType::Boolean,
         "Whether the dimensions stay, with one element each.", "false"}};
  return specs;
}

FailureOr<SmallVector<Value>> ReduceOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  SmallVector<int64_t> axes;
  for (int64_t axis : layer.getIntegers("axes")) {
    FailureOr<int64_t> dim = resolveAxis(layer, "axes", axis, type.getRank());
    if (failed(dim))
      return failure();
    if (llvm::is_contained(axes, *dim))
      return layer.emitError("axes")
             << layer.spec.name << " names axis " << axis << " twice";
    axes.push_back(*dim);
  }
  llvm::sort(axes);
  bool keepsDims = layer.getBoolean("keep_dims");
  if (!keepsDims && static_cast<int64_t>(axes.size()) == type.getRank() - 1)
    return layer.emitError("axes")
           << layer.spec.name << " would leave samples without a dimension; "
           << "set keep_dims or name fewer axes";
  Reduction kind = layer.spec.name == "reduce_sum"    ? Reduction::Sum
                   : layer.spec.name == "reduce_mean" ? Reduction::Mean
                                                      : Reduction::Max;
  Value reduced =
      ReduceOp::create(layer.builder, layer.loc, kind, layer.inputs[0], axes);
  if (!keepsDims)
    return SmallVector<Value>{reduced};
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  return SmallVector<Value>{ReshapeOp::create(
      layer.builder, layer.loc,
      RankedTensorType::get(shape, type.getElementType()), reduced)};
}

//===----------------------------------------------------------------------===//
// nn.reduce_max_grad
//===----------------------------------------------------------------------===//

LogicalResult ReduceMaxGradOp::verify() {
  RankedTensorType wanted = getReducedType(getInput().getType(), getAxes());
  if (getGradient().getType() != wanted)
    return emitOpError("expected a gradient ")
           << wanted << ", the reduction of " << getInput().getType()
           << " along [" << getAxes() << "], found " << getGradient().getType();
  return success();
}

LogicalResult
ReduceMaxGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[1], &y = operands[2];
  ReferenceValue result(x.shape), ties(y.shape);
  forEachReduced(x.shape, getAxes(), [&](int64_t from, int64_t to) {
    ties.data[to] += x.data[from] == y.data[to];
  });
  forEachReduced(x.shape, getAxes(), [&](int64_t from, int64_t to) {
    if (x.data[from] == y.data[to])
      result.data[from] = operands[0].data[to] / ties.data[to];
  });
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>>
ReduceMaxGradOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  unsigned rank = type.getRank();
  SmallVector<unsigned> kept = withoutAxes(rank, getAxes());
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap reduced = projection(builder, rank, kept);
  auto isLargest = [](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  };
  Value ties = buildReduction(
      builder, getLoc(), getOutput().getType(), builder.getF32FloatAttr(0.0),
      rank, kept, {getInput(), getOutput()}, {all, reduced},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value one = arith::SelectOp::create(
            b, loc, isLargest(b, loc, args[0], args[1]),
            buildConstant(b, loc, 1.0), buildConstant(b, loc, 0.0));
        return buildSumStep(b, loc, args[2], one);
      });
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), getOutput(), getGradient(), ties},
      {all, reduced, reduced, reduced},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value share = arith::DivFOp::create(b, loc, args[2], args[3]);
        return arith::SelectOp::create(b, loc,
                                       isLargest(b, loc, args[0], args[1]),
                                       share, buildConstant(b, loc, 0.0));
      })};
}

ErrorBounds ReduceMaxGradOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  // Where several elements may be the largest, which of them get the gradient
  // is in doubt, unless they are equal in any precision.
  const Bounded &dy = operands[0], &x = operands[1];
  struct Candidates {
    double low = -std::numeric_limits<double>::infinity();
    double count = 0.0, errors = 0.0;
  };
  std::vector<Candidates> candidates(dy.value.size());
  forEachReduced(x.value.shape, getAxes(), [&](int64_t from, int64_t to) {
    candidates[to].low = std::max(candidates[to].low, x.at(from).low());
  });
  forEachReduced(x.value.shape, getAxes(), [&](int64_t from, int64_t to) {
    if (x.at(from).high() >= candidates[to].low) {
      candidates[to].count += 1.0;
      candidates[to].errors += x.error[from];
    }
  });
  std::vector<double> errors(x.value.size(), 0.0);
  forEachReduced(x.value.shape, getAxes(), [&](int64_t from, int64_t to) {
    if (x.at(from).high() < candidates[to].low)
      return;
    bool isCertain =
        candidates[to].count == 1.0 || candidates[to].errors == 0.0;
    errors[from] = isCertain
                       ? (dy.at(to) / Approximate(candidates[to].count)).error
                       : dy.at(to).magnitude();
  });
  return {errors};
}

int64_t ReduceMaxGradOp::getFlops() {
  return 3 * getInput().getType().getNumElements();
}
