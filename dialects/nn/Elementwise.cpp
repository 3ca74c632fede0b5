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
