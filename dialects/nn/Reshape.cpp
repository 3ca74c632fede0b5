#include "dialects/nn/Reshape.h"
#include "dialects/interfaces/LinalgHelpers.h"
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

namespace {

/// The finest shape that two shapes are both refinements of, and which of their
/// dimensions make up each of its own.
struct CommonShape {
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> from, to;

  CommonShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
      from.push_back({static_cast<int64_t>(i)});
      to.push_back({static_cast<int64_t>(j)});
      int64_t ofA = a[i++], ofB = b[j++];
      while (ofA != ofB) {
        bool takesA = ofA < ofB;
        (takesA ? ofA : ofB) *= takesA ? a[i] : b[j];
        (takesA ? from : to)
            .back()
            .push_back(static_cast<int64_t>(takesA ? i++ : j++));
      }
      shape.push_back(ofA);
    }
    // Dimensions of one element.
    for (; i < a.size(); ++i)
      from.back().push_back(static_cast<int64_t>(i));
    for (; j < b.size(); ++j)
      to.back().push_back(static_cast<int64_t>(j));
  }
};

} // namespace

Value boostc::nn::lowerReshape(OpBuilder &builder, Location loc, Value input,
                               Type type) {
  auto from = cast<RankedTensorType>(input.getType());
  auto to = cast<RankedTensorType>(type);
  if (from == to)
    return input;
  CommonShape common(from.getShape(), to.getShape());
  auto middle = RankedTensorType::get(common.shape, from.getElementType());
  if (middle != from)
    input = tensor::CollapseShapeOp::create(builder, loc, middle, input,
                                            common.from);
  if (middle != to)
    input = tensor::ExpandShapeOp::create(builder, loc, to, input, common.to);
  return input;
}

Value boostc::nn::lowerTranspose(OpBuilder &builder, Location loc, Value input,
                                 ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  SmallVector<unsigned> inverse(permutation.size());
  for (auto [dim, of] : llvm::enumerate(permutation)) {
    shape.push_back(type.getDimSize(of));
    inverse[of] = dim;
  }
  return buildElementwise(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), input,
      {projection(builder, inverse.size(), inverse)},
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
}
