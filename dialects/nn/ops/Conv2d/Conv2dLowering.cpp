// Lowerings of the convolutions: each is one rt.convolution, or a matmul where
// the kernel covers the whole image.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Reshape.h"
#include "dialects/rt/MatrixProduct.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

using rt::ConvolutionKind;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Value reshape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> shape) {
  Type elements = cast<RankedTensorType>(value.getType()).getElementType();
  return lowerReshape(builder, loc, value,
                      RankedTensorType::get(shape, elements));
}

/// The same where `folded`, [a, b, 1, c], is the shape before or after: by way
/// of [a, b, c], in which the batch stays a dimension.
static Value reshapeFolded(OpBuilder &builder, Location loc, Value value,
                           ArrayRef<int64_t> folded, ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  value = reshape(builder, loc, value, {folded[0], folded[1], folded[3]});
  return reshape(builder, loc, value, shape);
}

/// [a, b, c, d] as [a, b, d, c].
static Value swapAxes(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto swapped = RankedTensorType::get({shape[0], shape[1], shape[3], shape[2]},
                                       type.getElementType());
  return buildElementwise(
      builder, loc, swapped, value, {projection(builder, 4, {0, 1, 3, 2})},
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
}

namespace {

/// Where a kernel covers the rows of an image, its columns or both, without
/// borders, there is one position along that axis, and the pixels are more
/// channels: [N, C, H, W] is [N, C H, 1, W], [N, C W, 1, H] or [N, C H W, 1,
/// 1]. As a window that slides, such a kernel would meet borders alone in the
/// gradient of the image.
class Cover {
public:
  /// `input` and `weight` are shapes.
  Cover(const ConvolutionGeometry &geometry, ArrayRef<int64_t> input,
        ArrayRef<int64_t> weight)
      : geometry(geometry) {
    for (unsigned axis : {0, 1})
      isCovered[axis] = input[2 + axis] == weight[2 + axis] &&
                        geometry.padding[axis] == 0 &&
                        geometry.padding[2 + axis] == 0;
    // A depthwise convolution has vectors of groups as long as these have one
    // channel each.
    bool isDepthwise = geometry.groups > 1 && weight[1] == 1;
    hasPixels = !isDepthwise && ((isCovered[0] && input[2] > 1) ||
                                 (isCovered[1] && input[3] > 1));
  }

  bool isWhole() const { return isCovered[0] && isCovered[1]; }
  /// Whether there are pixels that had better be channels.
  bool movesPixels() const { return hasPixels; }

  /// An image that the kernel moves over, or the kernel.
  Value fold(OpBuilder &builder, Location loc, Value value) const {
    SmallVector<int64_t> folded = foldedShape(shapeOf(value));
    if (!isCovered[0])
      value = swapAxes(builder, loc, value);
    return reshapeFolded(builder, loc, value, folded, folded);
  }

  SmallVector<int64_t> foldedShape(ArrayRef<int64_t> shape) const {
    int64_t left = isWhole() ? 1 : shape[isCovered[0] ? 3 : 2];
    return {shape[0], shape[1] * shape[2] * shape[3] / left, 1, left};
  }

  /// What fold() took, in the shape that it had.
  Value unfold(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> shape) const {
    ArrayRef<int64_t> folded = shapeOf(value);
    if (isCovered[0])
      return reshapeFolded(builder, loc, value, folded, shape);
    return swapAxes(builder, loc,
                    reshapeFolded(builder, loc, value, folded,
                                  {shape[0], shape[1], shape[3], shape[2]}));
  }

  /// The output has one position along a covered axis.
  static SmallVector<int64_t> foldedOutput(ArrayRef<int64_t> shape) {
    return {shape[0], shape[1], 1, shape[2] * shape[3]};
  }

  /// The geometry along the axis that is left.
  ConvolutionGeometry getGeometry() const {
    unsigned axis = isCovered[0] ? 1 : 0;
    return {{1, geometry.strides[axis]},
            {0, geometry.padding[axis], 0, geometry.padding[2 + axis]},
            {1, geometry.dilations[axis]},
            geometry.groups};
  }

private:
  ConvolutionGeometry geometry;
  std::array<bool, 2> isCovered;
  bool hasPixels;
};

/// One of the three forms: operands in the order of rt.convolution.
struct Form {
  ConvolutionKind kind;
  Value a, b, bias;
  RankedTensorType type; ///< of the result
  ConvolutionGeometry geometry;

  ArrayRef<int64_t> getInputShape() const {
    return kind == ConvolutionKind::Forward        ? shapeOf(a)
           : kind == ConvolutionKind::BackwardData ? type.getShape()
                                                   : shapeOf(b);
  }
  ArrayRef<int64_t> getWeightShape() const {
    return kind == ConvolutionKind::BackwardWeight ? type.getShape()
                                                   : shapeOf(b);
  }
};

} // namespace

static Value buildCall(OpBuilder &builder, Location loc, const Form &form,
                       ArrayRef<int64_t> shape) {
  const ConvolutionGeometry &geometry = form.geometry;
  auto type = RankedTensorType::get(shape, form.type.getElementType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto call = rt::ConvolutionOp::create(
      builder, loc, TypeRange{type}, form.kind, form.a, form.b, form.bias,
      empty, /*scratch=*/Value(), /*parts=*/Value(), geometry.strides,
      geometry.padding, geometry.dilations, geometry.groups);
  return call.getResult(0);
}

/// A whole image is a row: the convolution is a dense layer.
static Value lowerToMatmul(OpBuilder &builder, Location loc, const Form &form,
                           rt::BuildProduct build) {
  auto asRows = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    return reshape(builder, loc, value,
                   {shape[0], shape[1] * shape[2] * shape[3]});
  };
  ArrayRef<int64_t> shape = form.type.getShape();
  auto type = RankedTensorType::get({shape[0], shape[1] * shape[2] * shape[3]},
                                    form.type.getElementType());
  bool isForward = form.kind == ConvolutionKind::Forward;
  bool isOfWeight = form.kind == ConvolutionKind::BackwardWeight;
  Value result = build(builder, loc, type,
                       {asRows(form.a), asRows(form.b), form.bias,
                        /*transposeA=*/isOfWeight, /*transposeB=*/isForward});
  return reshape(builder, loc, result, shape);
}

static Value lowerForm(OpBuilder &builder, Location loc, Form form,
                       rt::BuildProduct build) {
  Cover cover(form.geometry, form.getInputShape(), form.getWeightShape());
  if (cover.isWhole() && form.geometry.groups == 1)
    return lowerToMatmul(builder, loc, form, build);
  ArrayRef<int64_t> shape = form.type.getShape();
  if (!cover.movesPixels())
    return buildCall(builder, loc, form, shape);
  form.geometry = cover.getGeometry();
  if (form.kind == ConvolutionKind::Forward) {
    form.a = cover.fold(builder, loc, form.a);
    form.b = cover.fold(builder, loc, form.b);
    SmallVector<int64_t> folded = Cover::foldedOutput(shape);
    Value result = buildCall(builder, loc, form, folded);
    return reshapeFolded(builder, loc, result, folded, shape);
  }
  SmallVector<int64_t> folded = Cover::foldedOutput(shapeOf(form.a));
  form.a = reshapeFolded(builder, loc, form.a, folded, folded);
  form.b = cover.fold(builder, loc, form.b);
  Value result = buildCall(builder, loc, form, cover.foldedShape(shape));
  return cover.unfold(builder, loc, result, shape);
}

template <typename OpTy> static Form getForm(OpTy op) {
  Form form;
  form.type = cast<RankedTensorType>(op.getType());
  form.geometry = ConvolutionGeometry::get(op.getStrides(), op.getPadding(),
                                           op.getDilations(), op.getGroups());
  if constexpr (std::is_same_v<OpTy, Conv2dOp>) {
    form.kind = ConvolutionKind::Forward;
    form.a = op.getInput();
    form.bias = op.getBias();
  } else {
    form.a = op.getGradient();
  }
  if constexpr (std::is_same_v<OpTy, Conv2dGradInputOp>)
    form.kind = ConvolutionKind::BackwardData;
  if constexpr (std::is_same_v<OpTy, Conv2dGradWeightOp>) {
    form.kind = ConvolutionKind::BackwardWeight;
    form.b = op.getInput();
  } else {
    form.b = op.getWeight();
  }
  return form;
}

#define BOOSTC_LOWER_CONVOLUTION(OP)                                           \
  FailureOr<SmallVector<Value>> OP::lowerToLinalg(OpBuilder &builder) {        \
    return SmallVector<Value>{                                                 \
        lowerForm(builder, getLoc(), getForm(*this), rt::buildProductLoops)};  \
  }                                                                            \
  FailureOr<SmallVector<Value>> OP::buildLibraryCall(OpBuilder &builder) {     \
    return SmallVector<Value>{                                                 \
        lowerForm(builder, getLoc(), getForm(*this), rt::buildProductCall)};   \
  }
BOOSTC_LOWER_CONVOLUTION(Conv2dOp)
BOOSTC_LOWER_CONVOLUTION(Conv2dGradInputOp)
BOOSTC_LOWER_CONVOLUTION(Conv2dGradWeightOp)
#undef BOOSTC_LOWER_CONVOLUTION
