#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Pooling.h"
#include "dialects/nn/Window.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// The share of a tap is rounded, and so is each product with it.
static Approximate getShare(Approximate x, ArrayRef<int64_t> kernel) {
  double taps = static_cast<double>(kernel[0] * kernel[1]);
  double share = x.value / taps;
  return {share, x.error / taps + gammaOf(2) * std::abs(share)};
}

//===----------------------------------------------------------------------===//
// nn.avg_pool
//===----------------------------------------------------------------------===//

LogicalResult AvgPoolOp::verify() {
  FailureOr<SmallVector<int64_t>> expected =
      verifyPooling([&] { return emitOpError(); }, getInput().getType(),
                    getKernel(), getStrides(), getPadding());
  if (failed(expected))
    return failure();
  if (getType().getShape() != ArrayRef<int64_t>(*expected))
    return emitOpError("expected a result of shape [")
           << *expected << "], found " << getType();
  return success();
}

LogicalResult AvgPoolOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0];
  ReferenceValue y(getType().getShape());
  double taps = static_cast<double>(getKernel()[0] * getKernel()[1]);
  forEachTap(x.shape, y.shape, getKernel(), getStrides(), getPadding(),
             [&](int64_t xi, int64_t yi, int64_t) {
               y.data[yi] += x.data[xi] / taps;
             });
  results.push_back(std::move(y));
  return success();
}

SmallVector<Value> AvgPoolOp::savedForBackward() { return {}; }

LogicalResult AvgPoolOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      AvgPoolGradOp::create(context.builder, context.loc, getInput().getType(),
                            context.gradResults[0], getKernelAttr(),
                            getStridesAttr(), getPaddingAttr());
  return success();
}

/// x / (taps of the window): a quotient, for its divisor is exact where its
/// inverse would not be.
static Value buildShare(OpBuilder &builder, Location loc, Value x,
                        ArrayRef<int64_t> kernel) {
  double taps = static_cast<double>(kernel[0] * kernel[1]);
  return buildElementwise(
      builder, loc, cast<RankedTensorType>(x.getType()), x,
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return arith::DivFOp::create(b, nested, args[0],
                                     buildConstant(b, nested, taps));
      });
}

FailureOr<SmallVector<Value>> AvgPoolOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  Value input = padInput(builder, loc, getInput(), getPadding(), 0.0);
  PoolingLoops loops(builder, loc, getKernel(), getStrides(), getPadding());
  Value sum = buildWindowSums(builder, loc, getType(), loops, input);
  return SmallVector<Value>{buildShare(builder, loc, sum, getKernel())};
}

ErrorBounds AvgPoolOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTap(operands[0].value.shape, results[0].shape, getKernel(),
             getStrides(), getPadding(), [&](int64_t xi, int64_t yi, int64_t) {
               sums[yi].add(getShare(operands[0].at(xi), getKernel()));
             });
  return getErrors(sums);
}

int64_t AvgPoolOp::getFlops() {
  return 2 * getType().getNumElements() * getKernel()[0] * getKernel()[1];
}

std::vector<LayerSpec> AvgPoolOp::getLayerSpecs() {
  LayerSpec windowed{
      "avg_pool", LayerSpec::Kind::Layer,
      "Mean over windows of the input; padding counts as zeros."};
  windowed.keys = getWindowKeys("0");
  LayerSpec global{"global_avg_pool", LayerSpec::Kind::Layer,
                   "Mean over height and width: one number per channel."};
  return {windowed, global};
}

FailureOr<SmallVector<Value>> AvgPoolOp::buildLayer(LayerBuilder &layer) {
  auto input = cast<RankedTensorType>(layer.inputs[0].getType());
  bool isGlobal = layer.spec.name == "global_avg_pool";
  if (isGlobal && failed(checkImages(layer, input)))
    return failure();
  Window window;
  if (isGlobal) {
    std::array<int64_t, 2> whole = {input.getDimSize(2), input.getDimSize(3)};
    window = {whole, {whole, {0, 0, 0, 0}, {1, 1}, 1}, {1, 1}};
  } else {
    FailureOr<Window> given = getPoolingWindow(layer, input);
    if (failed(given))
      return failure();
    window = *given;
  }
  auto type = RankedTensorType::get({input.getDimSize(0), input.getDimSize(1),
                                     window.output[0], window.output[1]},
                                    input.getElementType());
  Value pooled = AvgPoolOp::create(
      layer.builder, layer.loc, type, layer.inputs[0], window.kernel,
      window.geometry.strides, window.geometry.padding);
  if (isGlobal)
    pooled = ReshapeOp::create(
        layer.builder, layer.loc,
        RankedTensorType::get({input.getDimSize(0), input.getDimSize(1)},
                              input.getElementType()),
        pooled);
  return SmallVector<Value>{pooled};
}

//===----------------------------------------------------------------------===//
// nn.avg_pool_grad
//===----------------------------------------------------------------------===//

LogicalResult AvgPoolGradOp::verify() {
  auto emit = [&] { return emitOpError(); };
  return verifyGradientShape(
      emit, getGradient().getType(),
      verifyPooling(emit, getType(), getKernel(), getStrides(), getPadding()));
}

LogicalResult
AvgPoolGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0];
  ReferenceValue dx(getType().getShape());
  double taps = static_cast<double>(getKernel()[0] * getKernel()[1]);
  forEachTap(dx.shape, dy.shape, getKernel(), getStrides(), getPadding(),
             [&](int64_t xi, int64_t yi, int64_t) {
               dx.data[xi] += dy.data[yi] / taps;
             });
  results.push_back(std::move(dx));
  return success();
}

FailureOr<SmallVector<Value>> AvgPoolGradOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  PoolingLoops loops(builder, loc, getKernel(), getStrides(), getPadding());
  Value share = buildShare(builder, loc, getGradient(), getKernel());
  return SmallVector<Value>{buildPoolingGrad(
      builder, loc, getType(), loops, share, getKernel(), getStrides(),
      getPadding(),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; })};
}

ErrorBounds AvgPoolGradOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTap(results[0].shape, operands[0].value.shape, getKernel(),
             getStrides(), getPadding(), [&](int64_t xi, int64_t yi, int64_t) {
               sums[xi].add(getShare(operands[0].at(yi), getKernel()));
             });
  return getErrors(sums);
}

int64_t AvgPoolGradOp::getFlops() {
  return 2 * getGradient().getType().getNumElements() * getKernel()[0] *
         getKernel()[1];
}
