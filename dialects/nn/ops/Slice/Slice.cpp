#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

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
  if (failed(verifyAxis(loc, type, axis)))
    return failure();
  int64_t extent = type.getDimSize(axis);
  if (start < 0 || size < 1 || start > extent || size > extent - start)
    return emitOptionalError(loc, "expected a slice of the ", extent,
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
  copyAlongAxis(operands[0], getStart(), result, 0, getSize(), getAxis());
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
  AxisPart part(builder, type.getShape(), getAxis(), getStart());
  return SmallVector<Value>{
      tensor::ExtractSliceOp::create(builder, getLoc(), type, getInput(),
                                     part.offsets, part.sizes, part.strides)};
}

std::vector<LayerSpec> SliceOp::getLayerSpecs() {
  LayerSpec spec{"slice", LayerSpec::Kind::Layer,
                 "A slice along one dimension, `y[..., i, ...] = x[..., start "
                 "+ i, ...]` for i below size."};
  spec.keys = {getAxisKey("0"),
               {"start", KeyType::Integer, "The first element.", "0", 0.0},
               {"size", KeyType::Integer, "Number of elements.", {}, 1.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> SliceOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  FailureOr<int64_t> axis = boostc::nn::getAxis(layer);
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
    return emitOpError("expected a slice of the result, found ")
           << from << " from " << start << " along axis " << axis << " of "
           << to;
  return success();
}

LogicalResult SliceGradOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  copyAlongAxis(operands[0], 0, result, getStart(), operands[0].dim(getAxis()),
                getAxis());
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> SliceGradOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  Value empty = tensor::EmptyOp::create(builder, getLoc(), type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, getLoc(), builder.getZeroAttr(type.getElementType()));
  Value zeros =
      linalg::FillOp::create(builder, getLoc(), zero, empty).getResult(0);
  AxisPart part(builder, getGradient().getType().getShape(), getAxis(),
                getStart());
  return SmallVector<Value>{
      tensor::InsertSliceOp::create(builder, getLoc(), getGradient(), zeros,
                                    part.offsets, part.sizes, part.strides)};
}
