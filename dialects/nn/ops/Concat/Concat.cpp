#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/OperandTypes.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// Whether the shapes differ along `axis` only.
static bool fitsAlong(RankedTensorType a, RankedTensorType b, int64_t axis) {
  if (a.getRank() != b.getRank())
    return false;
  for (int64_t dim = 0; dim < a.getRank(); ++dim)
    if (dim != axis && a.getDimSize(dim) != b.getDimSize(dim))
      return false;
  return true;
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one input");
  RankedTensorType first = getTensorType(loc, adaptor.getInputs()[0]);
  int64_t axis = adaptor.getAxis();
  if (!first || failed(verifyAxis(loc, first, axis)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = getTensorType(loc, input);
    if (!type)
      return failure();
    if (!fitsAlong(first, type, axis))
      return emitOptionalError(loc, "expected shapes that differ along axis ",
                               axis, " only, found ", first, " and ", type);
    shape[axis] += type.getDimSize(axis);
  }
  inferred.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult ConcatOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  int64_t axis = getAxis(), start = 0;
  for (const ReferenceValue &operand : operands) {
    copyAlongAxis(operand, 0, result, start, operand.dim(axis), axis);
    start += operand.dim(axis);
  }
  results.push_back(std::move(result));
  return success();
}

LogicalResult ConcatOp::buildBackward(BackwardContext &context) {
  int64_t start = 0;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    int64_t size =
        cast<RankedTensorType>(input.getType()).getDimSize(getAxis());
    if (context.needed[index])
      context.gradOperands[index] =
          SliceOp::create(context.builder, context.loc, context.gradResults[0],
                          getAxis(), start, size);
    start += size;
  }
  return success();
}

FailureOr<SmallVector<Value>> ConcatOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  Value result = tensor::EmptyOp::create(builder, getLoc(), type.getShape(),
                                         type.getElementType());
  int64_t start = 0;
  for (Value input : getInputs()) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    AxisPart part(builder, shape, getAxis(), start);
    result =
        tensor::InsertSliceOp::create(builder, getLoc(), input, result,
                                      part.offsets, part.sizes, part.strides);
    start += shape[getAxis()];
  }
  return SmallVector<Value>{result};
}

std::vector<LayerSpec> ConcatOp::getLayerSpecs() {
  LayerSpec spec{"concat", LayerSpec::Kind::Layer,
                 "Concatenates values along a dimension; their shapes differ "
                 "along it only."};
  spec.keys = {getAxisKey("0")};
  spec.inputs = 2;
  spec.maxInputs = 64;
  return {spec};
}

FailureOr<SmallVector<Value>> ConcatOp::buildLayer(LayerBuilder &layer) {
  auto first = cast<RankedTensorType>(layer.inputs[0].getType());
  FailureOr<int64_t> axis = boostc::nn::getAxis(layer);
  if (failed(axis))
    return failure();
  for (Value input : layer.inputs) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!fitsAlong(first, type, *axis))
      return layer.emitError("inputs")
             << "concat needs inputs whose shapes differ along its axis only, "
                "found "
             << first << " and " << type
             << " with the batch; one of the layers that make them must change";
  }
  return SmallVector<Value>{
      ConcatOp::create(layer.builder, layer.loc, layer.inputs, *axis)};
}
