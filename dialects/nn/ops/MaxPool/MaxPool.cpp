#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Pooling.h"
#include "dialects/nn/Window.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.max_pool
//===----------------------------------------------------------------------===//

LogicalResult MaxPoolOp::verify() {
  FailureOr<SmallVector<int64_t>> expected =
      verifyPooling([&] { return emitOpError(); }, getInput().getType(),
                    getKernel(), getStrides(), getPadding());
  if (failed(expected))
    return failure();
  for (Value result : getResults())
    if (cast<RankedTensorType>(result.getType()).getShape() !=
        ArrayRef<int64_t>(*expected))
      return emitOpError("expected results of shape [")
             << *expected << "], found " << result.getType();
  return success();
}

LogicalResult MaxPoolOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0];
  ReferenceValue y(getResult().getType().getShape(),
                   -std::numeric_limits<double>::infinity());
  ReferenceValue taps(y.shape);
  forEachTap(x.shape, y.shape, getKernel(), getStrides(), getPadding(),
             [&](int64_t xi, int64_t yi, int64_t tap) {
               if (x.data[xi] > y.data[yi] || std::isnan(x.data[xi])) {
                 y.data[yi] = x.data[xi];
                 taps.data[yi] = static_cast<double>(tap);
               }
             });
  results.push_back(std::move(y));
  results.push_back(std::move(taps));
  return success();
}

SmallVector<Value> MaxPoolOp::savedForBackward() { return {getTap()}; }

LogicalResult MaxPoolOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      MaxPoolGradOp::create(context.builder, context.loc, getInput().getType(),
                            context.gradResults[0], getTap(), getKernelAttr(),
                            getStridesAttr(), getPaddingAttr());
  return success();
}

/// i32: the number of the tap that loops k and l of a pooling are at.
static Value buildTapNumber(OpBuilder &b, Location loc, int64_t kernelWidth) {
  Value row = linalg::IndexOp::create(b, loc, 4);
  Value column = linalg::IndexOp::create(b, loc, 5);
  Value width = arith::ConstantIndexOp::create(b, loc, kernelWidth);
  Value number = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, row, width), column);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), number);
}

FailureOr<SmallVector<Value>> MaxPoolOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  double lowest = -std::numeric_limits<double>::infinity();
  // Values are compared in f32; none of them is rounded.
  Type element = getElementTypeOrSelf(getResult().getType());
  Value input = getInput();
  if (llvm::any_of(getPadding(), [](int64_t size) { return size != 0; }))
    input = padInput(builder, loc,
                     buildConversion(builder, loc, input, builder.getF32Type()),
                     getPadding(), lowest);
  PoolingLoops loops(builder, loc, getKernel(), getStrides(), getPadding());
  auto buildInit = [&](Value value, TypedAttr start) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    Value scalar = arith::ConstantOp::create(builder, loc, start);
    return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  };
  Value maximum = buildInit(getResult(), builder.getFloatAttr(element, lowest));
  Value taps = buildInit(getTap(), builder.getI32IntegerAttr(0));
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.append(2, utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{maximum.getType(), taps.getType()},
      ValueRange{input, loops.extents}, ValueRange{maximum, taps},
      {loops.input, loops.window, loops.output, loops.output}, iterators,
      [&](OpBuilder &b, Location nested, ValueRange args) {
        Value x = buildExtension(b, nested, args[0]);
        Value best = buildExtension(b, nested, args[2]), tap = args[3];
        Value isAbove = arith::CmpFOp::create(
            b, nested, arith::CmpFPredicate::OGT, x, best);
        Value isNan =
            arith::CmpFOp::create(b, nested, arith::CmpFPredicate::UNO, x, x);
        Value take = arith::OrIOp::create(b, nested, isAbove, isNan);
        Value here = buildTapNumber(b, nested, getKernel()[1]);
        Value newBest = arith::SelectOp::create(b, nested, take, x, best);
        Value newTap = arith::SelectOp::create(b, nested, take, here, tap);
        linalg::YieldOp::create(
            b, nested,
            ValueRange{buildRounding(b, nested, newBest, element), newTap});
      });
  return SmallVector<Value>(generic.getResults());
}

LogicalResult MaxPoolOp::canonicalize(MaxPoolOp op, PatternRewriter &rewriter) {
  Operation *function = op.getInput().getDefiningOp();
  if (!function || !function->hasTrait<MonotonicTrait>() ||
      !function->hasOneUse() || !op.getTap().use_empty())
    return failure();
  auto pooled = MaxPoolOp::create(
      rewriter, op.getLoc(), op.getResult().getType(), op.getTap().getType(),
      function->getOperand(0), op.getKernelAttr(), op.getStridesAttr(),
      op.getPaddingAttr());
  IRMapping mapping;
  mapping.map(function->getOperand(0), pooled.getResult());
  Operation *after = rewriter.clone(*function, mapping);
  after->getResult(0).setType(op.getResult().getType());
  rewriter.replaceOp(op, {after->getResult(0), pooled.getTap()});
  return success();
}

ErrorBounds MaxPoolOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue> results) {
  // A maximum moves by no more than the numbers it is taken of; the tap is in
  // doubt, by 1, where another number may be the largest.
  const Bounded &x = operands[0];
  const ReferenceValue &y = results[0], &taps = results[1];
  std::vector<double> errors(y.size(), 0.0), doubts(y.size(), 0.0);
  std::vector<double> winner(y.size(), 0.0);
  auto forEach = [&](llvm::function_ref<void(int64_t, int64_t, int64_t)> tap) {
    forEachTap(x.value.shape, y.shape, getKernel(), getStrides(), getPadding(),
               tap);
  };
  forEach([&](int64_t xi, int64_t yi, int64_t tap) {
    errors[yi] = std::max(errors[yi], x.error[xi]);
    if (static_cast<double>(tap) == taps.data[yi])
      winner[yi] = x.error[xi];
  });
  forEach([&](int64_t xi, int64_t yi, int64_t tap) {
    double gap = y.data[yi] - x.value.data[xi];
    // Exact numbers are compared exactly.
    double doubt = x.error[xi] + winner[yi];
    if (static_cast<double>(tap) != taps.data[yi] && doubt > 0.0 &&
        gap <= doubt)
      doubts[yi] = 1.0;
  });
  return {errors, doubts};
}

int64_t MaxPoolOp::getFlops() {
  return getResult().getType().getNumElements() * getKernel()[0] *
         getKernel()[1];
}

std::vector<LayerSpec> MaxPoolOp::getLayerSpecs() {
  LayerSpec spec{"max_pool", LayerSpec::Kind::Layer,
                 "Maximum over windows of the input; padding never wins."};
  spec.keys = getWindowKeys("0");
  return {spec};
}

FailureOr<SmallVector<Value>> MaxPoolOp::buildLayer(LayerBuilder &layer) {
  auto input = cast<RankedTensorType>(layer.inputs[0].getType());
  FailureOr<Window> window = getPoolingWindow(layer, input);
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape = {input.getDimSize(0), input.getDimSize(1),
                                window->output[0], window->output[1]};
  auto pool = MaxPoolOp::create(
      layer.builder, layer.loc,
      RankedTensorType::get(shape, input.getElementType()),
      RankedTensorType::get(shape, layer.builder.getI32Type()), layer.inputs[0],
      window->kernel, window->geometry.strides, window->geometry.padding);
  return SmallVector<Value>{pool.getResult()};
}

//===----------------------------------------------------------------------===//
// nn.max_pool_grad
//===----------------------------------------------------------------------===//

LogicalResult MaxPoolGradOp::verify() {
  FailureOr<SmallVector<int64_t>> expected =
      verifyPooling([&] { return emitOpError(); }, getType(), getKernel(),
                    getStrides(), getPadding());
  if (failed(expected))
    return failure();
  for (Value operand : getOperands())
    if (cast<RankedTensorType>(operand.getType()).getShape() !=
        ArrayRef<int64_t>(*expected))
      return emitOpError("expected operands of shape [")
             << *expected << "], found " << operand.getType();
  return success();
}

LogicalResult
MaxPoolGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &taps = operands[1];
  ReferenceValue dx(getType().getShape());
  forEachTap(dx.shape, dy.shape, getKernel(), getStrides(), getPadding(),
             [&](int64_t xi, int64_t yi, int64_t tap) {
               if (taps.data[yi] == static_cast<double>(tap))
                 dx.data[xi] += dy.data[yi];
             });
  results.push_back(std::move(dx));
  return success();
}

FailureOr<SmallVector<Value>> MaxPoolGradOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  PoolingLoops loops(builder, loc, getKernel(), getStrides(), getPadding());
  return SmallVector<Value>{buildPoolingGrad(
      builder, loc, getType(), loops, {getGradient(), getTap()}, getKernel(),
      getStrides(), getPadding(),
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value here = buildTapNumber(b, nested, getKernel()[1]);
        Value isTaken = arith::CmpIOp::create(
            b, nested, arith::CmpIPredicate::eq, args[1], here);
        Value zero = buildConstant(b, nested, 0.0);
        return arith::SelectOp::create(b, nested, isTaken, args[0], zero);
      })};
}

ErrorBounds MaxPoolGradOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue> results) {
  const Bounded &dy = operands[0], &taps = operands[1];
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTap(results[0].shape, dy.value.shape, getKernel(), getStrides(),
             getPadding(), [&](int64_t xi, int64_t yi, int64_t tap) {
               Approximate term = dy.at(yi);
               if (taps.error[yi] != 0.0)
                 sums[xi].add({term.value, term.magnitude()}); // there or not
               else if (static_cast<double>(tap) == taps.value.data[yi])
                 sums[xi].add(term);
             });
  return getErrors(sums);
}

int64_t MaxPoolGradOp::getFlops() {
  return getGradient().getType().getNumElements() * getKernel()[0] *
         getKernel()[1];
}
