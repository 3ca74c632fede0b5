#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  if (type.getRank() < 2)
    return emitOptionalError(loc, "expected an input of rank 2 or more, found ",
                             type);
  int64_t samples = type.getDimSize(0);
  inferred.push_back(RankedTensorType::get(
      {samples, type.getNumElements() / samples}, type.getElementType()));
  return success();
}

LogicalResult FlattenOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  result.shape =
      SmallVector<int64_t>(cast<RankedTensorType>(getType()).getShape());
  results.push_back(std::move(result));
  return success();
}

LogicalResult FlattenOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      ReshapeOp::create(context.builder, context.loc, getInput().getType(),
                        context.gradResults[0]);
  return success();
}

FailureOr<SmallVector<Value>> FlattenOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  if (type == getType())
    return SmallVector<Value>{getInput()};
  SmallVector<ReassociationIndices> groups = {{0}, {}};
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    groups[1].push_back(dim);
  return SmallVector<Value>{tensor::CollapseShapeOp::create(
      builder, getLoc(), getType(), getInput(), groups)};
}

std::vector<LayerSpec> FlattenOp::getLayerSpecs() {
  return {{"flatten", LayerSpec::Kind::Layer,
           "Makes one feature dimension of all, `[n, d1, d2, ...]` to "
           "`[n, d1 * d2 * ...]`."}};
}

FailureOr<SmallVector<Value>> FlattenOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      FlattenOp::create(layer.builder, layer.loc, layer.inputs[0])};
}
