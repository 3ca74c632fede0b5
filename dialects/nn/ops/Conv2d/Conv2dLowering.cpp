// Lowerings of the convolutions: each is one rt.convolution, or a matmul where
// the kernel covers the whole input.

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

static Value swapRowsAndColumns(OpBuilder &builder, Location loc, Value value) {
  return lowerTranspose(builder, loc, value, {0, 1, 3, 2});
}

namespace {

/// Where a kernel covers all rows of its input, all columns or both, without
/// padding, the output has one position along that axis, and the pixels are as
/// good as channels: [N, C, H, W] is [N, C H, 1, W], [N, C W, 1, H] or
/// [N, C H W, 1, 1]. In the gradient of the input, a window that slides would
/// see nearly nothing but padding.
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
    // A depthwise convolution would no longer be one.
    bool isDepthwise = geometry.groups > 1 && weight[1] == 1;
    hasPixels = !isDepthwise && ((isCovered[0] && input[2] > 1) ||
                                 (isCovered[1] && input[3] > 1));
  }

  bool isWhole() const { return isCovered[0] && isCovered[1]; }
  /// Whether there are pixels that had better be channels.
  bool movesPixels() const { return hasPixels; }

  /// The input, or the weight.
  Value fold(OpBuilder &builder, Location loc, Value value) const {
    SmallVector<int64_t> folded = foldedShape(shapeOf(value));
    if (!isCovered[0])
      value = swapRowsAndColumns(builder, loc, value);
    return reshape(builder, loc, value, folded);
  }

  SmallVector<int64_t> foldedShape(ArrayRef<int64_t> shape) const {
    int64_t left = isWhole() ? 1 : shape[isCovered[0] ? 3 : 2];
    return {shape[0], shape[1] * shape[2] * shape[3] / left, 1, left};
  }

  /// What fold() took, in the shape that it had.
  Value unfold(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> shape) const {
    if (isCovered[0])
      return reshape(builder, loc, value, shape);
    value =
        reshape(builder, loc, value, {shape[0], shape[1], shape[3], shape[2]});
    return swapRowsAndColumns(builder, loc, value);
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

/// A whole input is a row: the convolution is a dense layer.
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
    Value result = buildCall(builder, loc, form, Cover::foldedOutput(shape));
    return reshape(builder, loc, result, shape);
  }
  form.a = reshape(builder, loc, form.a, Cover::foldedOutput(shapeOf(form.a)));
  form.b = cover.fold(builder, loc, form.b);
  Value result = buildCall(builder, loc, form, cover.foldedShape(shape));
  return cover.unfold(builder, loc, result, shape);
}

template <typename OpTy> static Form getForm(OpTy op) {
  Form form;
  form.type = cast<RankedTensorType>(op.getType());
  form.geometry = op.getGeometry();
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
