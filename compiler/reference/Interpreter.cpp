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

LogicalResult Interpreter::enter(Operation *callee,
                                 ArrayRef<ReferenceValue> arguments) {
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
  assign(function.getFunctionBody().getArguments(), RankValues(arguments));
  return success();
}

LogicalResult Interpreter::call(Operation *callee,
                                ArrayRef<ReferenceValue> arguments,
                                SmallVectorImpl<ReferenceValue> &results) {
  if (failed(enter(callee, arguments)))
    return failure();
  LogicalResult status = evaluateBlock(
      cast<FunctionOpInterface>(callee).getFunctionBody().front(), results);
  frames.pop_back();
  return status;
}

/// `collective` is not in the body of `meeting`, but where each rank may come
/// any number of times.
static LogicalResult refuseToMeet(Operation *collective,
                                  FunctionOpInterface meeting) {
  auto function = collective->getParentOfType<FunctionOpInterface>();
  InFlightDiagnostic diagnostic =
      collective->emitOpError(
          "cannot be interpreted on several ranks: expected "
          "in the body of @")
      << meeting.getName() << ", found in ";
  if (function == meeting)
    return diagnostic << "a region";
  return diagnostic << "@" << function.getName() << ", which it calls";
}

/// Also of regions of ops that cannot be interpreted.
static LogicalResult verifyMeetings(func::FuncOp function) {
  WalkResult walked = function.walk([&](CollectiveOpInterface op) {
    if (op->getBlock() == &function.front())
      return WalkResult::advance();
    (void)refuseToMeet(op, function);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult Interpreter::interpretOnRanks(func::FuncOp function,
                                            ArrayRef<RankValues> arguments,
                                            std::vector<RankValues> &results) {
  if (arguments.size() > 1 && failed(verifyMeetings(function)))
    return failure();
  std::vector<Interpreter> ranks(arguments.size());
  for (auto [rank, given] : llvm::zip_equal(ranks, arguments)) {
    if (ranks.size() > 1)
      rank.meeting = function;
    if (failed(rank.enter(function, given)))
      return failure();
  }
  for (Operation &op : function.front().without_terminator()) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      std::vector<RankValues> operands;
      for (const Interpreter &rank : ranks)
        operands.push_back(rank.getOperands(op));
      std::vector<RankValues> met = collective.evaluateOnRanks(operands);
      for (auto [rank, values] : llvm::zip_equal(ranks, met))
        rank.assign(op.getResults(), std::move(values));
      continue;
    }
    for (Interpreter &rank : ranks)
      if (failed(rank.evaluate(op)))
        return failure();
  }
  for (const Interpreter &rank : ranks)
    results.push_back(rank.getOperands(*function.front().getTerminator()));
  return success();
}

const ReferenceValue &Interpreter::lookup(Value value) const {
  auto found = frames.back().find(value);
  assert(found != frames.back().end() &&
         "operands are evaluated before their users");
  return found->second;
}

RankValues Interpreter::getOperands(Operation &op) const {
  RankValues operands;
  for (Value operand : op.getOperands())
    operands.push_back(lookup(operand));
  return operands;
}

void Interpreter::assign(ValueRange values, RankValues contents) {
  for (auto [value, content] : llvm::zip_equal(values, contents))
    frames.back()[value] = std::move(content);
}

LogicalResult
Interpreter::evaluateRegion(Region &region, ArrayRef<ReferenceValue> arguments,
                            SmallVectorImpl<ReferenceValue> &yielded) {
  assign(region.front().getArguments(), RankValues(arguments));
  return evaluateBlock(region.front(), yielded);
}

LogicalResult
Interpreter::evaluateBlock(Block &block,
                           SmallVectorImpl<ReferenceValue> &yielded) {
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(op)))
      return failure();
  llvm::append_range(yielded, getOperands(*block.getTerminator()));
  return success();
}

LogicalResult Interpreter::evaluate(Operation &op) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return op.emitOpError(
        "cannot be interpreted: it does not say what it computes "
        "(ReferenceOpInterface)");
  if (meeting && isa<CollectiveOpInterface>(op))
    return refuseToMeet(&op, meeting);
  RankValues results;
  if (failed(reference.evaluate(*this, getOperands(op), results)))
    return failure();
  if (results.size() != op.getNumResults())
    return op.emitOpError("evaluated to ")
           << results.size() << " values, expected " << op.getNumResults();
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    if (getShape(result.getType()) != ArrayRef(value.shape))
      return op.emitOpError("evaluated to the shape [")
             << value.shape << "], expected that of " << result.getType();
  roundToTypes(op.getResultTypes(), results);
  assign(op.getResults(), std::move(results));
  return success();
}
