#include "compiler/autodiff/Activity.h"
#include "dialects/interfaces/Interfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::autodiff;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// The values through which a gradient that reaches a result of `op` flows on.
static SmallVector<Value> getActiveOperands(Operation *op) {
  SmallVector<Value> operands;
  if (auto differentiable = dyn_cast<DifferentiableOpInterface>(op)) {
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (differentiable.isActiveOperand(index))
        operands.push_back(operand);
    return operands;
  }
  llvm::copy_if(op->getOperands(), std::back_inserter(operands), isFloat);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::copy_if(captured, std::back_inserter(operands), isFloat);
  return operands;
}

Activity::Activity(func::FuncOp function, ArrayRef<int64_t> wrt, Value loss) {
  Block &block = function.getBody().front();
  for (int64_t index : wrt)
    varied.insert(function.getArgument(index));
  for (Operation &op : block)
    if (llvm::any_of(getActiveOperands(&op),
                     [&](Value operand) { return varied.contains(operand); }))
      for (Value result : op.getResults())
        if (isFloat(result))
          varied.insert(result);

  useful.insert(loss);
  for (Operation &op : llvm::reverse(block))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return useful.contains(result); }))
      for (Value operand : getActiveOperands(&op))
        useful.insert(operand);
}

bool Activity::isActive(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return isActive(result); });
}
