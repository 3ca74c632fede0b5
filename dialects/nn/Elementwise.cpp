#include "dialects/nn/Elementwise.h"

using namespace mlir;
using namespace boostc;

LogicalResult boostc::nn::evaluateElementwise(
    ArrayRef<ReferenceValue> operands, SmallVectorImpl<ReferenceValue> &results,
    llvm::function_ref<double(ArrayRef<double>)> function) {
  ReferenceValue result = operands[0];
  SmallVector<double> elements(operands.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [element, operand] : llvm::zip_equal(elements, operands))
      element = operand.data[i];
    result.data[i] = function(elements);
  }
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> boostc::nn::lowerElementwise(Operation *op,
                                                           OpBuilder &builder,
                                                           ElementBody body) {
  return SmallVector<Value>{buildElementwise(
      builder, op->getLoc(), cast<RankedTensorType>(op->getResult(0).getType()),
      op->getOperands(), body)};
}

LogicalResult boostc::nn::checkSameShapes(LayerBuilder &layer) {
  Type first = layer.inputs[0].getType(), second = layer.inputs[1].getType();
  if (first != second)
    return layer.emitError("inputs")
           << layer.spec.name << " needs two inputs of the same shape, found "
           << first << " and " << second
           << " with the batch; one of the layers that make them must change";
  return success();
}
