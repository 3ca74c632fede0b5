#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult CastOp::verify() {
  if (getInput().getType().getShape() != getType().getShape())
    return emitOpError("expected a result of the input's shape, ")
           << getInput().getType() << ", found " << getType();
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // To f32 and back is exact.
  auto before = getInput().getDefiningOp<CastOp>();
  if (before && isLowPrecision(getType()) &&
      before.getInput().getType() == getType())
    return before.getInput();
  return {};
}

LogicalResult CastOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  // The interpreter rounds results to their type.
  results.push_back(operands[0]);
  return success();
}

LogicalResult CastOp::buildBackward(BackwardContext &context) {
  Value gradient = context.gradResults[0];
  auto rounded = gradient.getDefiningOp<CastOp>();
  if (rounded && rounded.getInput().getType() == getInput().getType())
    context.gradOperands[0] = rounded.getInput();
  else
    context.gradOperands[0] = CastOp::create(context.builder, context.loc,
                                             getInput().getType(), gradient);
  return success();
}

ErrorBounds CastOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue>) {
  return {operands[0].error};
}

FailureOr<SmallVector<Value>> CastOp::lowerToLinalg(OpBuilder &) {
  // On f32 alone there is nothing to do: what lowers the op has extended its
  // operand, and rounds its result.
  assert(getInput().getType() == getType() && "the op is widened");
  return SmallVector<Value>{getInput()};
}

int64_t CastOp::getFlops() { return 0; }
