#include "dialects/interfaces/OperandTypes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

#define BOOSTC_GET_GEOMETRY(OP)                                                \
  ConvolutionGeometry OP::getGeometry() {                                      \
    return ConvolutionGeometry::get(getStrides(), getPadding(),                \
                                    getDilations(), getGroups());              \
  }
BOOSTC_GET_GEOMETRY(Conv2dOp)
BOOSTC_GET_GEOMETRY(Conv2dGradInputOp)
BOOSTC_GET_GEOMETRY(Conv2dGradWeightOp)
#undef BOOSTC_GET_GEOMETRY

/// Builds the gradient op of `forward` in the type of what it is the gradient
/// of.
template <typename OpTy>
static Value buildConv2dGrad(BackwardContext &context, Conv2dOp forward,
                             Value other, Value wrt) {
  // Gradients of parameters are of f32.
  Type type = std::is_same_v<OpTy, Conv2dGradWeightOp> ? widen(wrt.getType())
                                                       : wrt.getType();
  return OpTy::create(context.builder, context.loc, type,
                      context.gradResults[0], other, forward.getStrides(),
                      forward.getPadding(), forward.getDilations(),
                      forward.getGroups());
}

/// Two for each multiplication that is summed, those with padding included.
static int64_t countConvolutionFlops(Type weight, Type output) {
  auto w = cast<RankedTensorType>(weight);
  return 2 * cast<RankedTensorType>(output).getNumElements() *
         (w.getNumElements() / w.getDimSize(0));
}

//===----------------------------------------------------------------------===//
// nn.conv2d
//===----------------------------------------------------------------------===//

LogicalResult Conv2dOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  auto emit = [&] {
    return mlir::emitError(loc ? *loc : UnknownLoc::get(context),
                           "'nn.conv2d' op ");
  };
  FailureOr<SmallVector<int64_t>> shape = verifyConvolution(
      emit, input, weight, adaptor.getStrides(), adaptor.getPadding(),
      adaptor.getDilations(), adaptor.getGroups());
  if (failed(shape))
    return failure();
  if (failed(verifySameElements(loc, input, weight)))
    return failure();
  if (Value bias = adaptor.getBias()) {
    RankedTensorType type = getTensorType(loc, bias);
    if (!type)
      return failure();
    if (type.getRank() != 1 || type.getDimSize(0) != weight.getDimSize(0))
      return emit() << "expected a bias of " << weight.getDimSize(0)
                    << " elements for weight " << weight << ", found " << type;
    if (failed(verifyBiasElements(loc, type, weight)))
      return failure();
  }
  inferred.push_back(RankedTensorType::get(*shape, input.getElementType()));
  return success();
}

LogicalResult Conv2dOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0], &w = operands[1];
  ReferenceValue y(getType().getShape());
  if (getBias())
    for (int64_t i = 0; i < y.size(); ++i)
      y.data[i] = operands[2].data[i / (y.dim(2) * y.dim(3)) % y.dim(1)];
  forEachConvolutionTerm(getGeometry(), x.shape, w.shape, y.shape,
                         [&](int64_t xi, int64_t wi, int64_t yi) {
                           y.data[yi] += x.data[xi] * w.data[wi];
                         });
  results.push_back(std::move(y));
  return success();
}

SmallVector<Value> Conv2dOp::savedForBackward() {
  return {getInput(), getWeight()};
}

LogicalResult Conv2dOp::buildBackward(BackwardContext &context) {
  if (context.needed[0])
    context.gradOperands[0] = buildConv2dGrad<Conv2dGradInputOp>(
        context, *this, getWeight(), getInput());
  if (context.needed[1])
    context.gradOperands[1] = buildConv2dGrad<Conv2dGradWeightOp>(
        context, *this, getInput(), getWeight());
  if (getBias() && context.needed[2])
    context.gradOperands[2] =
        BiasGradOp::create(context.builder, context.loc, context.gradResults[0],
                           context.valid, /*axis=*/1);
  return success();
}

ErrorBounds Conv2dOp::boundErrors(ReferenceContext &,
                                  ArrayRef<Bounded> operands,
                                  ArrayRef<ReferenceValue> results) {
  const ReferenceValue &out = results[0];
  std::vector<ApproximateSum> sums(out.size());
  forEachConvolutionTerm(
      getGeometry(), operands[0].value.shape, operands[1].value.shape,
      out.shape, [&](int64_t x, int64_t w, int64_t y) {
        sums[y].addProduct(operands[0].at(x), operands[1].at(w));
      });
  if (operands.size() > 2)
    for (int64_t i = 0; i < out.size(); ++i)
      sums[i].add(operands[2].at(i / (out.dim(2) * out.dim(3)) % out.dim(1)));
  return getErrors(sums);
}

int64_t Conv2dOp::getFlops() {
  return countConvolutionFlops(getWeight().getType(), getType());
}

//===----------------------------------------------------------------------===//
// nn.conv2d_grad_input
//===----------------------------------------------------------------------===//

/// `gradient` must be what a convolution of `input` with `weight` returns.
template <typename OpTy>
static LogicalResult verifyConv2dGrad(OpTy op, Type input, Type weight) {
  auto emit = [&] { return op.emitOpError(); };
  return verifyGradientShape(
      emit, cast<RankedTensorType>(op.getGradient().getType()),
      verifyConvolution(emit, cast<RankedTensorType>(input),
                        cast<RankedTensorType>(weight), op.getStrides(),
                        op.getPadding(), op.getDilations(), op.getGroups()));
}

LogicalResult Conv2dGradInputOp::verify() {
  return verifyConv2dGrad(*this, getType(), getWeight().getType());
}

LogicalResult
Conv2dGradInputOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &w = operands[1];
  ReferenceValue dx(getType().getShape());
  forEachConvolutionTerm(getGeometry(), dx.shape, w.shape, dy.shape,
                         [&](int64_t xi, int64_t wi, int64_t yi) {
                           dx.data[xi] += dy.data[yi] * w.data[wi];
                         });
  results.push_back(std::move(dx));
  return success();
}

SmallVector<Value> Conv2dGradInputOp::savedForBackward() {
  return {getGradient(), getWeight()};
}

LogicalResult Conv2dGradInputOp::buildBackward(BackwardContext &context) {
  Value dx = context.gradResults[0];
  if (context.needed[0])
    context.gradOperands[0] = Conv2dOp::create(
        context.builder, context.loc, dx, getWeight(), /*bias=*/Value(),
        getStrides(), getPadding(), getDilations(), getGroups());
  if (context.needed[1]) // of f32, as it is a parameter's
    context.gradOperands[1] = Conv2dGradWeightOp::create(
        context.builder, context.loc, widen(getWeight().getType()),
        getGradient(), dx, getStrides(), getPadding(), getDilations(),
        getGroups(), /*transposed=*/true);
  return success();
}

ErrorBounds Conv2dGradInputOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachConvolutionTerm(
      getGeometry(), results[0].shape, operands[1].value.shape,
      operands[0].value.shape, [&](int64_t x, int64_t w, int64_t y) {
        sums[x].addProduct(operands[0].at(y), operands[1].at(w));
      });
  return getErrors(sums);
}

int64_t Conv2dGradInputOp::getFlops() {
  return countConvolutionFlops(getWeight().getType(), getGradient().getType());
}

//===----------------------------------------------------------------------===//
// nn.conv2d_grad_weight
//===----------------------------------------------------------------------===//

LogicalResult Conv2dGradWeightOp::verify() {
  return verifyConv2dGrad(*this, getInput().getType(), getType());
}

LogicalResult
Conv2dGradWeightOp::evaluate(ReferenceContext &,
                             ArrayRef<ReferenceValue> operands,
                             SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  ReferenceValue dw(getType().getShape());
  forEachConvolutionTerm(getGeometry(), x.shape, dw.shape, dy.shape,
                         [&](int64_t xi, int64_t wi, int64_t yi) {
                           dw.data[wi] += dy.data[yi] * x.data[xi];
                         });
  results.push_back(std::move(dw));
  return success();
}

ErrorBounds Conv2dGradWeightOp::boundErrors(ReferenceContext &,
                                            ArrayRef<Bounded> operands,
                                            ArrayRef<ReferenceValue> results) {
  std::vector<ApproximateSum> sums(results[0].size());
  forEachConvolutionTerm(
      getGeometry(), operands[1].value.shape, results[0].shape,
      operands[0].value.shape, [&](int64_t x, int64_t w, int64_t y) {
        sums[w].addProduct(operands[0].at(y), operands[1].at(x));
      });
  return getErrors(sums);
}

int64_t Conv2dGradWeightOp::getFlops() {
  return countConvolutionFlops(getType(), getGradient().getType());
}

bool Conv2dGradWeightOp::isPreconditionable() { return !getTransposed(); }

std::optional<KroneckerLayer> Conv2dGradWeightOp::getKroneckerLayer() {
  ArrayRef<int64_t> weight = cast<RankedTensorType>(getType()).getShape();
  return KroneckerLayer{.input = getInput(),
                        .gradient = getGradient(),
                        .kernel = llvm::to_vector(weight.take_back(2)),
                        .strides = llvm::to_vector(getStrides()),
                        .padding = llvm::to_vector(getPadding()),
                        .dilations = llvm::to_vector(getDilations()),
                        .groups = static_cast<int64_t>(getGroups())};
}
