#include "compiler/reference/Interpreter.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace boostc;

/// Calls nested deeper than any program's; a recursion ends with a diagnostic.
static constexpr size_t kMaxDepth = 256;

static ArrayRef<int64_t> getShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getShape() : ArrayRef<int64_t>();
}

LogicalResult Interpreter::interpret(func::FuncOp function,
                                     ArrayRef<ReferenceValue> arguments,
                                     SmallVectorImpl<ReferenceValue> &results) {
  return call(function, arguments, results);
}

LogicalResult Interpreter::call(Operation *callee,
                                ArrayRef<ReferenceValue> arguments,
                                SmallVectorImpl<ReferenceValue> &results) {
  auto function = dyn_cast<FunctionOpInterface>(callee);
  if (!function || !function.getFunctionBody().hasOneBlock())
    return callee->emitOpError(
        "cannot be interpreted: expected a function of one block");
  if (function.getNumArguments() != arguments.size())
    return callee->emitOpError("expected ")
           << function.getNumArguments() << " arguments, found "
           << arguments.size();
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (getShape(function.getArgumentTypes()[index]) !=
        ArrayRef(argument.shape))
      return callee->emitOpError("expected argument ")
             << index << " of type " << function.getArgumentTypes()[index]
             << ", found the shape [" << argument.shape << "]";
  if (frames.size() == kMaxDepth)
    return callee->emitOpError("is called ") << kMaxDepth << " levels deep";
  frames.emplace_back();
  LogicalResult status =
      evaluateRegion(function.getFunctionBody(), arguments, results);
  frames.pop_back();
  return status;
}

const ReferenceValue &Interpreter::lookup(Value value) const {
  auto found = frames.back().find(value);
  assert(found != frames.back().end() &&
         "operands are evaluated before their users");
  return found->second;
}

LogicalResult
Interpreter::evaluateRegion(Region &region, ArrayRef<ReferenceValue> arguments,
                            SmallVectorImpl<ReferenceValue> &yielded) {
  Block &block = region.front();
  assert(block.getNumArguments() == arguments.size() &&
         "one value per block argument");
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    frames.back()[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(op)))
      return failure();
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(lookup(value));
  return success();
}

LogicalResult Interpreter::evaluate(Operation &op) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return op.emitOpError(
        "cannot be interpreted: it does not say what it computes "
        "(ReferenceOpInterface)");
  SmallVector<ReferenceValue> operands, results;
  for (Value operand : op.getOperands())
    operands.push_back(lookup(operand));
  if (failed(reference.evaluate(*this, operands, results)))
    return failure();
  if (results.size() != op.getNumResults())
    return op.emitOpError("evaluated to ")
           << results.size() << " values, expected " << op.getNumResults();
  for (auto [result, value] : llvm::zip(op.getResults(), results)) {
    if (getShape(result.getType()) != ArrayRef(value.shape))
      return op.emitOpError("evaluated to the shape [")
             << value.shape << "], expected that of " << result.getType();
    frames.back()[result] = std::move(value);
  }
  return success();
}
