#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult BroadcastOp::verify() {
  auto to = cast<RankedTensorType>(getType());
  SmallVector<int64_t> shape;
  for (unsigned dim : withoutAxes(to.getRank(), getAxes()))
    shape.push_back(to.getDimSize(dim));
  bool isFine = getInput().getType().getShape() == ArrayRef(shape) &&
                shape.size() + getAxes().size() == size_t(to.getRank()) &&
                !llvm::is_contained(getAxes(), 0);
  if (!isFine)
    return emitOpError("expected the result without the axes [")
           << getAxes() << "] to have the input's shape, found "
           << getInput().getType() << " and " << to;
  return success();
}

LogicalResult BroadcastOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t rest = i, from = 0, stride = 1;
    for (int64_t dim = result.rank(); dim-- > 0;) {
      if (!llvm::is_contained(getAxes(), dim)) {
        from += rest % result.dim(dim) * stride;
        stride *= result.dim(dim);
      }
      rest /= result.dim(dim);
    }
    result.data[i] = operands[0].data[from];
  }
  results.push_back(std::move(result));
  return success();
}

LogicalResult BroadcastOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      ReduceOp::create(context.builder, context.loc, Reduction::Sum,
                       context.gradResults[0], getAxes());
  return success();
}

FailureOr<SmallVector<Value>> BroadcastOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, getInput(),
      {projection(builder, type.getRank(),
                  withoutAxes(type.getRank(), getAxes()))},
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; })};
}
