#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Pooling.h"
#include "dialects/nn/Window.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// A pixel and those that repeat it are a window of a pooling and its result:
/// windows have `factors` pixels, and every pixel is in one.
static constexpr int64_t kNoPadding[] = {0, 0, 0, 0};

/// The shape of the result for `input`; fails with a diagnostic.
static FailureOr<SmallVector<int64_t>>
getUpsampledShape(llvm::function_ref<InFlightDiagnostic()> emitError,
                  RankedTensorType input, ArrayRef<int64_t> factors) {
  if (input.getRank() != 4 || factors.size() != 2 || factors[0] < 1 ||
      factors[1] < 1)
    return emitError() << "expected an input of four dimensions and two "
                          "positive factors, found "
                       << input << " and [" << factors << "]";
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned axis : {0, 1})
    if (llvm::MulOverflow(shape[2 + axis], factors[axis], shape[2 + axis]))
      return emitError() << "the factors [" << factors << "] are too large for "
                         << input;
  return shape;
}

//===----------------------------------------------------------------------===//
// nn.upsample
//===----------------------------------------------------------------------===//

LogicalResult UpsampleOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  FailureOr<SmallVector<int64_t>> shape = getUpsampledShape(
      [&] {
        return mlir::emitError(loc ? *loc : UnknownLoc::get(context),
                               "'nn.upsample' op ");
      },
      input, adaptor.getFactors());
  if (failed(shape))
    return failure();
  inferred.push_back(RankedTensorType::get(*shape, input.getElementType()));
  return success();
}

LogicalResult UpsampleOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0];
  ReferenceValue y(getType().getShape());
  forEachTap(y.shape, x.shape, getFactors(), getFactors(), kNoPadding,
             [&](int64_t yi, int64_t xi, int64_t) { y.data[yi] = x.data[xi]; });
  results.push_back(std::move(y));
  return success();
}

LogicalResult UpsampleOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      UpsampleGradOp::create(context.builder, context.loc, getInput().getType(),
                             context.gradResults[0], getFactorsAttr());
  return success();
}

FailureOr<SmallVector<Value>> UpsampleOp::lowerToLinalg(OpBuilder &builder) {
  PoolingLoops loops(builder, getLoc(), getFactors(), getFactors(), kNoPadding);
  return SmallVector<Value>{buildPoolingGrad(
      builder, getLoc(), getType(), loops, getInput(), getFactors(),
      getFactors(), kNoPadding,
      [](OpBuilder &, Location, ValueRange args) { return args[0]; })};
}

std::vector<LayerSpec> UpsampleOp::getLayerSpecs() {
  LayerSpec spec{"upsample", LayerSpec::Kind::Layer,
                 "Repeats each pixel: the nearest one of a smaller image."};
  spec.keys = {{"factor",
                KeyType::Extents,
                "How often, along height and width.",
                {},
                1.0,
                1 << 16}};
  return {spec};
}

FailureOr<SmallVector<Value>> UpsampleOp::buildLayer(LayerBuilder &layer) {
  auto input = cast<RankedTensorType>(layer.inputs[0].getType());
  if (failed(checkImages(layer, input)))
    return failure();
  return SmallVector<Value>{
      UpsampleOp::create(layer.builder, layer.loc, layer.inputs[0],
                         ArrayRef<int64_t>(getExtents(layer, "factor")))};
}

//===----------------------------------------------------------------------===//
// nn.upsample_grad
//===----------------------------------------------------------------------===//

LogicalResult UpsampleGradOp::verify() {
  auto emit = [&] { return emitOpError(); };
  return verifyGradientShape(emit, getGradient().getType(),
                             getUpsampledShape(emit, getType(), getFactors()));
}

LogicalResult
UpsampleGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0];
  ReferenceValue dx(getType().getShape());
  forEachTap(
      dy.shape, dx.shape, getFactors(), getFactors(), kNoPadding,
      [&](int64_t yi, int64_t xi, int64_t) { dx.data[xi] += dy.data[yi]; });
  results.push_back(std::move(dx));
  return success();
}

FailureOr<SmallVector<Value>>
UpsampleGradOp::lowerToLinalg(OpBuilder &builder) {
  PoolingLoops loops(builder, getLoc(), getFactors(), getFactors(), kNoPadding);
  return SmallVector<Value>{
      buildWindowSums(builder, getLoc(), getType(), loops, getGradient())};
}

ErrorBounds UpsampleGradOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachTap(operands[0].value.shape, results[0].shape, getFactors(),
             getFactors(), kNoPadding, [&](int64_t yi, int64_t xi, int64_t) {
               sums[xi].add(operands[0].at(yi));
             });
  return getErrors(sums);
}

int64_t UpsampleGradOp::getFlops() {
  return getGradient().getType().getNumElements();
}
