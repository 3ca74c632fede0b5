#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// Offsets, sizes and strides of the elements from `start` along `axis`.
static std::array<SmallVector<OpFoldResult>, 3> getPart(OpBuilder &builder,
                                                        ArrayRef<int64_t> shape,
                                                        int64_t axis,
                                                        int64_t start) {
  std::array<SmallVector<OpFoldResult>, 3> part;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool isCut = static_cast<int64_t>(dim) == axis;
    part[0].push_back(builder.getIndexAttr(isCut ? start : 0));
    part[1].push_back(builder.getIndexAttr(extent));
    part[2].push_back(builder.getIndexAttr(1));
  }
  return part;
}

//===----------------------------------------------------------------------===//
// nn.slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxis(), start = adaptor.getStart();
  int64_t size = adaptor.getSize();
  if (axis < 1 || axis >= type.getRank())
    return emitOptionalError(loc, "expected an axis from 1 to ",
                             type.getRank() - 1, " of ", type, ", found ",
                             axis);
  int64_t extent = type.getDimSize(axis);
  if (start < 0 || size < 1 || start > extent || size > extent - start)
    return emitOptionalError(loc, "expected a part of the ", extent,
                             " elements along axis ", axis, " of ", type,
                             ", found ", size, " from ", start);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  inferred.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult SliceOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  AxisView from(operands[0].shape, getAxis()), to(result.shape, getAxis());
  int64_t run = to.extent * to.inner;
  for (int64_t o = 0; o < to.outer; ++o)
    std::copy_n(
        operands[0].data.begin() +
            from.offset(o, static_cast<int64_t>(getStart()) * from.inner),
        run, result.data.begin() + to.offset(o, 0));
  results.push_back(std::move(result));
  return success();
}

LogicalResult SliceOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      SliceGradOp::create(context.builder, context.loc, getInput().getType(),
                          context.gradResults[0], getAxis(), getStart());
  return success();
}

FailureOr<SmallVector<Value>> SliceOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  auto part = getPart(builder, type.getShape(), getAxis(), getStart());
  return SmallVector<Value>{tensor::ExtractSliceOp::create(
      builder, getLoc(), type, getInput(), part[0], part[1], part[2])};
}

int64_t SliceOp::getFlops() { return 0; }

std::vector<LayerSpec> SliceOp::getLayerSpecs() {
  LayerSpec spec{"slice", LayerSpec::Kind::Layer,
                 "A part along one dimension, `y[..., i, ...] = x[..., start + "
                 "i, ...]` for i below size."};
  spec.keys = {
      {"axis", KeyType::Integer,
       "The dimension, counted without the batch; negative from the end.", "0",
       -8.0, 7.0},
      {"start", KeyType::Integer, "The first element.", "0", 0.0},
      {"size", KeyType::Integer, "Number of elements.", {}, 1.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> SliceOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  FailureOr<int64_t> axis =
      resolveAxis(layer, "axis", layer.getInteger("axis"), type.getRank());
  if (failed(axis))
    return failure();
  int64_t extent = type.getDimSize(*axis), start = layer.getInteger("start");
  int64_t size = layer.getInteger("size");
  if (start >= extent || size > extent - start)
    return layer.emitError("size")
           << "slice takes " << size << " elements from " << start
           << ", but its input " << type << " has " << extent
           << " along that axis";
  return SmallVector<Value>{SliceOp::create(
      layer.builder, layer.loc, layer.inputs[0], *axis, start, size)};
}

//===----------------------------------------------------------------------===//
// nn.slice_grad
//===----------------------------------------------------------------------===//

LogicalResult SliceGradOp::verify() {
  auto from = getGradient().getType(), to = cast<RankedTensorType>(getType());
  int64_t axis = getAxis(), start = getStart();
  bool fits = from.getRank() == to.getRank() && axis >= 1 &&
              axis < to.getRank() && start >= 0;
  for (int64_t dim = 0; fits && dim < to.getRank(); ++dim)
    fits = dim == axis ? start <= to.getDimSize(dim) - from.getDimSize(dim)
                       : from.getDimSize(dim) == to.getDimSize(dim);
  if (!fits)
    return emitOpError("expected a part of the result, found ")
           << from << " from " << start << " along axis " << axis << " of "
           << to;
  return success();
}

LogicalResult SliceGradOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  AxisView from(operands[0].shape, getAxis()), to(result.shape, getAxis());
  int64_t run = from.extent * from.inner;
  for (int64_t o = 0; o < to.outer; ++o)
    std::copy_n(operands[0].data.begin() + from.offset(o, 0), run,
                result.data.begin() +
                    to.offset(o, static_cast<int64_t>(getStart()) * to.inner));
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> SliceGradOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  Value empty = tensor::EmptyOp::create(builder, getLoc(), type.getShape(),
                                        type.getElementType());
  Value zeros =
      linalg::FillOp::create(builder, getLoc(),
                             buildFloat(builder, getLoc(), 0.0), empty)
          .getResult(0);
  auto part = getPart(builder, getGradient().getType().getShape(), getAxis(),
                      getStart());
  return SmallVector<Value>{tensor::InsertSliceOp::create(
      builder, getLoc(), getGradient(), zeros, part[0], part[1], part[2])};
}

int64_t SliceGradOp::getFlops() { return 0; }
