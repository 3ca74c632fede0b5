// BuildBackward.cpp - replaces train.value_and_grad and train.evaluate by the
// ops that compute them. For each:
//
//   1. clone the forward function's body before the op;
//   2. analyse on the function itself what carries a gradient. Primal values
//   are the
//      function's, not the clone's: one value handed to two arguments has a
//      gradient for each;
//   3. visit the function's ops in reverse order and let each clone build its
//   backward;
//   4. replace the op, then erase what nothing reads.

#include "compiler/autodiff/Activity.h"
#include "compiler/autodiff/GradientSums.h"
#include "compiler/autodiff/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace boostc::autodiff {
#define GEN_PASS_DEF_BUILDBACKWARDPASS
#include "compiler/autodiff/Passes.h.inc"
} // namespace boostc::autodiff

using namespace mlir;
using namespace boostc;
using namespace boostc::autodiff;

/// Diagnostics about gradient ops point at the forward op they belong to.
static Location backwardOf(Location primal) {
  return FusedLoc::get(primal.getContext(), primal,
                       StringAttr::get(primal.getContext(), "backward of"));
}

/// The function `callee` names, or failure with a diagnostic at `op` when its
/// body cannot replace `op`.
static FailureOr<func::FuncOp> getForward(Operation *op,
                                          FlatSymbolRefAttr callee) {
  auto forward = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  auto refuse = [&](StringRef found) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected a straight-line function, found ") << found;
    diagnostic.attachNote(forward.getLoc()) << "the function is here";
    return failure();
  };
  if (forward.isExternal())
    return refuse("one without a body");
  if (!forward.getBody().hasOneBlock())
    return refuse("one with several blocks");
  for (Operation &nested : forward.getBody().front())
    if (isa<train::ValueAndGradOp, train::EvaluateOp>(nested))
      return refuse("one that evaluates another");
  return forward;
}

/// Clones the body of `forward`, applied to `inputs`, at the insertion point.
static IRMapping cloneBody(OpBuilder &builder, func::FuncOp forward,
                           ValueRange inputs) {
  IRMapping clones;
  clones.map(forward.getArguments(), inputs);
  for (Operation &op : forward.getBody().front().without_terminator())
    builder.clone(op, clones);
  return clones;
}

static OperandRange getReturned(func::FuncOp forward) {
  return forward.getBody().front().getTerminator()->getOperands();
}

/// The argument of `function` bound as the number of real samples; null without
/// one.
static Value findValid(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    rt::BindingAttr binding =
        rt::getArgumentBinding(function, argument.getArgNumber());
    if (binding && binding.getKind() == rt::BindingKind::Valid)
      return argument;
  }
  return {};
}

/// Erases what nothing reads. One sweep backwards suffices: a value's users
/// come later.
static void eraseDeadOps(func::FuncOp function) {
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

namespace {

/// Replaces one train.value_and_grad.
class BackwardBuilder {
public:
  BackwardBuilder(train::ValueAndGradOp op, func::FuncOp forward)
      : op(op), forward(forward), loss(getReturned(forward)[0]),
        activity(forward, op.getWrt(), loss), builder(op) {}

  LogicalResult run();

private:
  LogicalResult verifyDifferentiable();
  LogicalResult visit(Operation *primal);
  Value getGradient(int64_t index);
  void warnUnused(int64_t index);
  LogicalResult verifyValidUnused(func::FuncOp function);

  train::ValueAndGradOp op;
  func::FuncOp forward;
  Value loss;
  Activity activity;
  OpBuilder builder;
  IRMapping clones;
  GradientSums gradients; ///< by values of `forward`
  Value valid;
};

struct BuildBackwardPass
    : boostc::autodiff::impl::BuildBackwardPassBase<BuildBackwardPass> {
  void runOnOperation() override;

private:
  LogicalResult replace(Operation *op);
  llvm::SetVector<func::FuncOp> callees;
};

} // namespace

void BuildBackwardPass::runOnOperation() {
  callees.clear();
  SmallVector<Operation *> requests;
  getOperation().walk([&](Operation *op) {
    if (isa<train::ValueAndGradOp, train::EvaluateOp>(op))
      requests.push_back(op);
  });
  bool isBuilt = true;
  for (Operation *op : requests)
    isBuilt &= succeeded(replace(op));
  if (!isBuilt)
    return signalPassFailure();
  for (func::FuncOp callee : callees)
    if (SymbolTable::symbolKnownUseEmpty(callee, getOperation()))
      callee.erase();
}

LogicalResult BuildBackwardPass::replace(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto request = dyn_cast<train::ValueAndGradOp>(op);
  FailureOr<func::FuncOp> forward =
      getForward(op, request ? request.getCalleeAttr()
                             : cast<train::EvaluateOp>(op).getCalleeAttr());
  if (failed(forward))
    return failure();
  callees.insert(*forward);
  if (request)
    return BackwardBuilder(request, *forward).run();
  OpBuilder builder(op);
  IRMapping clones = cloneBody(builder, *forward, op->getOperands());
  for (auto [result, value] :
       llvm::zip(op->getResults(), getReturned(*forward)))
    result.replaceAllUsesWith(clones.lookup(value));
  op->erase();
  eraseDeadOps(function);
  return success();
}

LogicalResult BackwardBuilder::run() {
  if (failed(verifyDifferentiable()))
    return failure();
  auto function = op->getParentOfType<func::FuncOp>();
  clones = cloneBody(builder, forward, op.getInputs());

  // Ops take `valid` without asking, so a function that has none gets an
  // argument in its place for the time being; only its being used is an error.
  valid = findValid(function);
  bool isValidMissing = !valid;
  if (isValidMissing)
    valid = function.getBody().addArgument(
        RankedTensorType::get({}, builder.getI32Type()), op.getLoc());

  Location seedLoc = backwardOf(op.getLoc());
  Value seed = op.getScale();
  if (!seed)
    seed = arith::ConstantOp::create(
        builder, seedLoc,
        DenseElementsAttr::get(cast<ShapedType>(loss.getType()), 1.0f));
  gradients.add(builder, seedLoc, loss, seed);
  for (Operation &primal :
       llvm::reverse(forward.getBody().front().without_terminator()))
    if (failed(visit(&primal)))
      return failure();

  SmallVector<Value> results = {clones.lookup(loss),
                                clones.lookup(getReturned(forward)[1])};
  for (int64_t number : op.getOutputNumbers())
    results.push_back(clones.lookup(getReturned(forward)[number]));
  for (int64_t index : op.getWrt())
    results.push_back(getGradient(index));
  op->replaceAllUsesWith(results);
  op->erase();
  eraseDeadOps(function);
  if (!isValidMissing)
    return success();
  if (failed(verifyValidUnused(function)))
    return failure();
  function.getBody().front().eraseArgument(function.getNumArguments());
  return success();
}

/// An op that would swallow a gradient is the user's to know of.
LogicalResult BackwardBuilder::verifyDifferentiable() {
  LogicalResult result = success();
  for (Operation &primal : forward.getBody().front())
    if (activity.isActive(&primal) && !isa<DifferentiableOpInterface>(primal)) {
      InFlightDiagnostic diagnostic = primal.emitOpError(
          "has no gradient, but the loss depends on a parameter "
          "through it");
      diagnostic.attachNote(op.getLoc()) << "the gradient is asked for here";
      result = diagnostic;
    }
  return result;
}

LogicalResult BackwardBuilder::visit(Operation *primal) {
  SmallVector<Value> gradResults;
  for (Value result : primal->getResults())
    gradResults.push_back(activity.isActive(result) ? gradients.lookup(result)
                                                    : Value());
  if (llvm::none_of(gradResults, [](Value gradient) { return bool(gradient); }))
    return success();

  auto differentiable = cast<DifferentiableOpInterface>(clones.lookup(primal));
  SmallVector<bool> needed;
  for (auto [index, operand] : llvm::enumerate(primal->getOperands()))
    needed.push_back(activity.isActive(operand) &&
                     differentiable.isActiveOperand(index));
  SmallVector<Value> gradOperands(needed.size());
  BackwardContext context{builder, backwardOf(primal->getLoc()),
                          valid,   gradResults,
                          needed,  gradOperands};
  if (failed(differentiable.buildBackward(context)))
    return failure();
  for (auto [operand, gradient] :
       llvm::zip(primal->getOperands(), gradOperands))
    if (gradient)
      gradients.add(builder, context.loc, operand, gradient);
  return success();
}

/// The gradient of argument `index`: zero when nothing flows to it.
Value BackwardBuilder::getGradient(int64_t index) {
  BlockArgument argument = forward.getArgument(index);
  if (Value gradient = gradients.lookup(argument))
    return gradient;
  warnUnused(index);
  auto type = cast<ShapedType>(argument.getType());
  return arith::ConstantOp::create(builder, backwardOf(op.getLoc()),
                                   DenseElementsAttr::get(type, 0.0f));
}

void BackwardBuilder::warnUnused(int64_t index) {
  auto argument = dyn_cast<BlockArgument>(op.getInputs()[index]);
  auto function = op->getParentOfType<func::FuncOp>();
  if (argument && argument.getOwner() == &function.getBody().front()) {
    rt::BindingAttr binding =
        rt::getArgumentBinding(function, argument.getArgNumber());
    if (binding && binding.getKind() == rt::BindingKind::Parameter)
      if (Operation *parameter = SymbolTable::lookupNearestSymbolFrom(
              op, StringAttr::get(op.getContext(), binding.getName()))) {
        parameter->emitWarning("the loss does not depend on parameter '")
            << binding.getName() << "'; its gradient is zero";
        return;
      }
  }
  op.emitWarning("the loss does not depend on argument ")
      << index << "; its gradient is zero";
}

LogicalResult BackwardBuilder::verifyValidUnused(func::FuncOp function) {
  LogicalResult result = success();
  for (Operation *user : llvm::make_early_inc_range(valid.getUsers())) {
    InFlightDiagnostic diagnostic =
        user->emitOpError(
            "needs the number of real samples, but no argument of '")
        << function.getName() << "' is bound to #rt.binding<valid>";
    diagnostic.attachNote(function.getLoc()) << "the function is here";
    result = diagnostic;
  }
  return result;
}
