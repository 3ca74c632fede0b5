#include "dialects/interfaces/ErrorBound.h"
#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/Interfaces.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

ReferenceValue boostc::getErrors(const Bounded &value) {
  ReferenceValue errors = value.value;
  errors.data = value.error;
  return errors;
}

ErrorBounds boostc::getErrors(ArrayRef<ApproximateSum> sums) {
  std::vector<double> errors;
  for (const ApproximateSum &sum : sums)
    errors.push_back(sum.get().error);
  return {errors};
}

ReferenceValue boostc::getMagnitudes(const Bounded &value, bool withErrors) {
  ReferenceValue magnitudes = value.value;
  for (int64_t i = 0; i < magnitudes.size(); ++i)
    magnitudes.data[i] =
        std::abs(magnitudes.data[i]) + (withErrors ? value.error[i] : 0.0);
  return magnitudes;
}

std::vector<double> boostc::evaluateOp(Operation *op, ReferenceContext &context,
                                       ArrayRef<ReferenceValue> operands) {
  SmallVector<ReferenceValue> results;
  LogicalResult isEvaluated =
      cast<ReferenceOpInterface>(op).evaluate(context, operands, results);
  assert(succeeded(isEvaluated) && "the op has been evaluated before");
  (void)isEvaluated;
  return std::move(results[0].data);
}

ErrorBounds boostc::boundMovement(Operation *op, ReferenceContext &context,
                                  ArrayRef<Bounded> operands) {
  SmallVector<ReferenceValue> errors;
  for (const Bounded &operand : operands)
    errors.push_back(getErrors(operand));
  return {evaluateOp(op, context, errors)};
}

ErrorBounds
boostc::boundElements(ArrayRef<Bounded> operands, size_t results,
                      llvm::function_ref<void(ArrayRef<Approximate>,
                                              MutableArrayRef<Approximate>)>
                          rule) {
  int64_t size = operands[0].value.size();
  ErrorBounds errors(results);
  SmallVector<Approximate> arguments(operands.size()), found(results);
  for (int64_t i = 0; i < size; ++i) {
    for (auto [argument, operand] : llvm::zip_equal(arguments, operands))
      argument = operand.at(operand.value.size() == 1 ? 0 : i);
    rule(arguments, found);
    for (auto [list, element] : llvm::zip_equal(errors, found))
      list.push_back(element.error);
  }
  return errors;
}
