#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

ArrayRef<int64_t> ValueAndGradOp::getOutputNumbers() {
  return getOutputs().value_or(ArrayRef<int64_t>());
}

ResultRange ValueAndGradOp::getOutputValues() {
  return getValues().take_front(getOutputNumbers().size());
}

ResultRange ValueAndGradOp::getGradients() {
  return getValues().drop_front(getOutputNumbers().size());
}

LogicalResult ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("'") << getCallee() << "' is not a function here";
  if (callee.getArgumentTypes() != getInputs().getTypes()) {
    InFlightDiagnostic diagnostic = emitOpError("expected operands (")
                                    << callee.getArgumentTypes() << "), found ("
                                    << getInputs().getTypes() << ")";
    diagnostic.attachNote(callee.getLoc()) << "the function is here";
    return diagnostic;
  }
  TypeRange results = callee.getResultTypes();
  if (results.size() < 2 || results[0] != getSum().getType() ||
      results[1] != getCount().getType()) {
    InFlightDiagnostic diagnostic =
        emitOpError(
            "expected a function that returns the loss as (tensor<f32>, "
            "tensor<i64>) first, found (")
        << results << ")";
    diagnostic.attachNote(callee.getLoc()) << "the function is here";
    return diagnostic;
  }
  if (getValues().size() != getOutputNumbers().size() + getWrt().size())
    return emitOpError("expected one result for each of ")
           << getOutputNumbers().size() << " outputs and " << getWrt().size()
           << " arguments in wrt, found " << getValues().size();
  int64_t previous = 1;
  for (auto [number, value] :
       llvm::zip(getOutputNumbers(), getOutputValues())) {
    if (number <= previous || number >= static_cast<int64_t>(results.size()))
      return emitOpError(
                 "expected outputs in ascending order from 2 and below ")
             << results.size() << ", found " << number << " after " << previous;
    previous = number;
    if (value.getType() != results[number])
      return emitOpError("expected output ")
             << number << " to have its type " << results[number] << ", found "
             << value.getType();
  }
  previous = -1;
  for (auto [index, gradient] : llvm::zip(getWrt(), getGradients())) {
    if (index <= previous || index >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("expected wrt in ascending order below ")
             << getInputs().size() << ", found " << index << " after "
             << previous;
    previous = index;
    if (gradient.getType() != getInputs()[index].getType())
      return emitOpError("expected the gradient of argument ")
             << index << " to have its type " << getInputs()[index].getType()
             << ", found " << gradient.getType();
  }
  return success();
}

/// The derivative by its definition: two evaluations of the callee per element.
/// Slow, and independent of everything compiler/autodiff does.
LogicalResult
ValueAndGradOp::evaluate(ReferenceContext &context,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  Operation *callee =
      SymbolTable::lookupNearestSymbolFrom(*this, getCalleeAttr());
  double scale = getScale() ? operands.back().item() : 1.0;
  SmallVector<ReferenceValue> arguments(
      operands.take_front(getInputs().size()));
  auto evaluateSum = [&](double &sum) -> LogicalResult {
    SmallVector<ReferenceValue> values;
    if (failed(context.call(callee, arguments, values)))
      return failure();
    sum = values[0].item();
    return success();
  };
  SmallVector<ReferenceValue> values;
  if (failed(context.call(callee, arguments, values)))
    return failure();
  results.append({values[0], values[1]});
  for (int64_t number : getOutputNumbers())
    results.push_back(values[number]);
  for (int64_t index : getWrt()) {
    ReferenceValue gradient(operands[index].shape);
    for (int64_t i = 0; i < gradient.size(); ++i) {
      double &x = arguments[index].data[i], at = x, above = 0.0, below = 0.0;
      // Near the cube root of the double's epsilon, where truncation and
      // rounding of a central difference balance.
      double step = 6e-6 * std::max(1.0, std::abs(at));
      x = at + step;
      if (failed(evaluateSum(above)))
        return failure();
      x = at - step;
      if (failed(evaluateSum(below)))
        return failure();
      x = at;
      gradient.data[i] = scale * (above - below) / (2.0 * step);
    }
    results.push_back(std::move(gradient));
  }
  return success();
}
