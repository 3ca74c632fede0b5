#include "dialects/nn/Reshape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace boostc;

LogicalResult
boostc::nn::evaluateReshape(Type type, const ReferenceValue &operand,
                            SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operand;
  result.shape = SmallVector<int64_t>(cast<RankedTensorType>(type).getShape());
  results.push_back(std::move(result));
  return success();
}

Value boostc::nn::lowerReshape(OpBuilder &builder, Location loc, Value input,
                               Type type) {
  auto from = cast<RankedTensorType>(input.getType());
  auto to = cast<RankedTensorType>(type);
  if (from == to)
    return input;
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, to, input, *groups);
    return tensor::ExpandShapeOp::create(builder, loc, to, input, *groups);
  }
  // Neither shape refines the other: through one dimension.
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  auto allOf = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < rank; ++dim)
      groups[0].push_back(dim);
    return groups;
  };
  Value collapsed = tensor::CollapseShapeOp::create(builder, loc, flat, input,
                                                    allOf(from.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, to, collapsed,
                                       allOf(to.getRank()));
}
