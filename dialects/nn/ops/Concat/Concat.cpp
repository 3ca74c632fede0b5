#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one input");
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  int64_t axis = adaptor.getAxis();
  if (axis < 1 || axis >= first.getRank())
    return emitOptionalError(loc, "expected an axis from 1 to ",
                             first.getRank() - 1, " of ", first, ", found ",
                             axis);
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    auto type = cast<RankedTensorType>(input.getType());
    bool fits = type.getRank() == first.getRank();
    for (int64_t dim = 0; fits && dim < first.getRank(); ++dim)
      fits = dim == axis || type.getDimSize(dim) == first.getDimSize(dim);
    if (!fits)
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
  AxisView to(result.shape, getAxis());
  int64_t start = 0;
  for (const ReferenceValue &operand : operands) {
    AxisView from(operand.shape, getAxis());
    for (int64_t o = 0; o < to.outer; ++o)
      std::copy_n(operand.data.begin() + from.offset(o, 0),
                  from.extent * from.inner,
                  result.data.begin() + to.offset(o, start * to.inner));
    start += from.extent;
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
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  int64_t start = 0;
  for (Value input : getInputs()) {
    auto part = cast<RankedTensorType>(input.getType());
    offsets[getAxis()] = builder.getIndexAttr(start);
    result = tensor::InsertSliceOp::create(
        builder, getLoc(), input, result, offsets,
        getAsIndexOpFoldResult(builder.getContext(), part.getShape()), strides);
    start += part.getDimSize(getAxis());
  }
  return SmallVector<Value>{result};
}

int64_t ConcatOp::getFlops() { return 0; }

std::vector<LayerSpec> ConcatOp::getLayerSpecs() {
  LayerSpec spec{"concat", LayerSpec::Kind::Layer,
                 "Values one behind the other along a dimension; their shapes "
                 "differ along it only."};
  spec.keys = {{"axis", KeyType::Integer,
                "The dimension, counted without the batch; negative from the "
                "end. 0 are an image's channels.",
                "0", -8.0, 7.0}};
  spec.inputs = 2;
  spec.mostInputs = 64;
  return {spec};
}

FailureOr<SmallVector<Value>> ConcatOp::buildLayer(LayerBuilder &layer) {
  auto first = cast<RankedTensorType>(layer.inputs[0].getType());
  FailureOr<int64_t> axis =
      resolveAxis(layer, "axis", layer.getInteger("axis"), first.getRank());
  if (failed(axis))
    return failure();
  for (Value input : layer.inputs) {
    auto type = cast<RankedTensorType>(input.getType());
    bool fits = type.getRank() == first.getRank();
    for (int64_t dim = 0; fits && dim < first.getRank(); ++dim)
      fits = dim == *axis || type.getDimSize(dim) == first.getDimSize(dim);
    if (!fits)
      return layer.emitError("inputs")
             << "concat needs inputs whose shapes differ along its axis only, "
                "found "
             << first << " and " << type
             << " with the batch; one of the layers that make them must change";
  }
  return SmallVector<Value>{
      ConcatOp::create(layer.builder, layer.loc, layer.inputs, *axis)};
}
