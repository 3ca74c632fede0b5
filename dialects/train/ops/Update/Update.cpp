#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult UpdateOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getCurrent().getTypes());
  inferred.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

void UpdateOp::build(OpBuilder &builder, OperationState &state, Value loss,
                     Value count, ValueRange gradients, ValueRange current) {
  SmallVector<Type> types(current.getTypes());
  types.push_back(RankedTensorType::get({}, builder.getI32Type()));
  build(builder, state, types, loss, count, gradients, current);
  Block &block = state.regions.front()->emplaceBlock();
  block.addArguments(gradients.getTypes(),
                     SmallVector<Location>(gradients.size(), state.location));
}

LogicalResult UpdateOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getGradients().getTypes())
    return emitOpError("expected the region to take the gradients' types (")
           << getGradients().getTypes() << "), found ("
           << block.getArgumentTypes() << ")";
  return success();
}

LogicalResult UpdateOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getCurrent().getTypes())
    return emitOpError(
               "expected the region to yield the types of the current values (")
           << getCurrent().getTypes() << "), found ("
           << block.getTerminator()->getOperandTypes() << ")";
  for (Operation &op : block.without_terminator())
    if (!isa<ScalarUpdateOpInterface>(op))
      return op.emitOpError("is not a first-order rule; the region of ")
             << getOperationName() << " holds nothing else";
  return success();
}

static bool allFinite(const ReferenceValue &value) {
  return llvm::all_of(value.data, [](double x) { return std::isfinite(x); });
}

LogicalResult UpdateOp::evaluate(ReferenceContext &context,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ArrayRef<ReferenceValue> gradients = operands.slice(2, getGradients().size());
  ArrayRef<ReferenceValue> current = operands.drop_front(2 + gradients.size());
  double count = operands[1].item();
  bool commits =
      count > 0 && allFinite(operands[0]) && llvm::all_of(gradients, allFinite);
  if (!commits) {
    llvm::append_range(results, current);
    results.push_back(ReferenceValue::scalar(0.0));
    return success();
  }
  SmallVector<ReferenceValue> means(gradients);
  for (ReferenceValue &mean : means)
    for (double &element : mean.data)
      element /= count;
  if (failed(context.evaluateRegion(getBody(), means, results)))
    return failure();
  results.push_back(ReferenceValue::scalar(1.0));
  return success();
}
