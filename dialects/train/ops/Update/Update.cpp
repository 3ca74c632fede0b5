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
  if (adaptor.getNorm())
    inferred.push_back(RankedTensorType::get({}, Float32Type::get(context)));
  return success();
}

void UpdateOp::build(OpBuilder &builder, OperationState &state, Value loss,
                     Value count, Value after, ValueRange gradients,
                     ValueRange current, bool norm) {
  SmallVector<Type> types(current.getTypes());
  types.push_back(RankedTensorType::get({}, builder.getI32Type()));
  if (norm)
    types.push_back(RankedTensorType::get({}, builder.getF32Type()));
  build(builder, state, types, loss, count, after, /*divisor=*/Value(),
        /*nonfinite_ranks=*/Value(), gradients, current, norm,
        /*deltas=*/false);
  Block &block = state.regions.front()->emplaceBlock();
  block.addArguments(gradients.getTypes(),
                     SmallVector<Location>(gradients.size(), state.location));
}

void UpdateOp::getAsmResultNames(
    llvm::function_ref<void(Value, StringRef)> setName) {
  unsigned count = getCurrent().size();
  if (count > 0)
    setName(getResult(0), "updated");
  setName(getResult(count), "finite");
  if (getNorm())
    setName(getResult(count + 1), "norm");
}

LogicalResult UpdateOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getGradients().getTypes())
    return emitOpError(
               "expected the region's arguments to have the gradients' types (")
           << getGradients().getTypes() << "), found ("
           << block.getArgumentTypes() << ")";
  return success();
}

/// Whether `op` makes scalars, of constants or by a lowering of its own.
static bool isScalarOp(Operation &op) {
  bool isKnown =
      isa<LowerToLinalgOpInterface>(op) || op.hasTrait<OpTrait::ConstantLike>();
  return isKnown && llvm::all_of(op.getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.getRank() == 0;
         });
}

/// update_c4.
static LogicalResult verifyChanges(UpdateOp update) {
  Block &block = update.getBody().front();
  llvm::DenseSet<Value> taken;
  for (Operation &op : block.without_terminator()) {
    if (!isa<ScalarUpdateOpInterface>(op))
      continue;
    Value gradient = op.getOperand(1);
    while (auto transform =
               gradient.getDefiningOp<GradientTransformOpInterface>())
      gradient = transform->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(gradient);
    if (!argument || argument.getOwner() != &block)
      return op.emitOpError("expected a mean gradient of the region, whose "
                            "memory the delta reuses");
    if (!taken.insert(gradient).second)
      return op.emitOpError("reads gradient ")
             << argument.getArgNumber()
             << ", whose memory the delta of another rule reuses";
  }
  return success();
}

LogicalResult UpdateOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  SmallVector<Type> expected(getCurrent().getTypes());
  if (getNorm())
    expected.push_back(
        RankedTensorType::get({}, Float32Type::get(getContext())));
  if (!yield || yield.getValues().getTypes() != TypeRange(expected))
    return emitOpError(
               "expected the region to yield the types of the current values (")
           << expected << "), found ("
           << block.getTerminator()->getOperandTypes() << ")";
  for (Operation &op : block.without_terminator())
    if (!isa<ScalarUpdateOpInterface, GradientTransformOpInterface>(op) &&
        !isScalarOp(op))
      return op.emitOpError("is not a first-order rule, does not transform a "
                            "gradient and computes no scalar; the region of ")
             << getOperationName() << " holds nothing else";
  return getDeltas() ? verifyChanges(*this) : success();
}

static bool allFinite(const ReferenceValue &value) {
  return llvm::all_of(value.data, [](double x) { return std::isfinite(x); });
}

LogicalResult UpdateOp::evaluate(ReferenceContext &context,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  auto group = [&](unsigned index) {
    auto [first, count] = getODSOperandIndexAndLength(index);
    return operands.slice(first, count);
  };
  double count = group(1).front().item();
  double divisor =
      getDivisor() ? std::max(group(3).front().item(), 1.0) : count;
  ArrayRef<ReferenceValue> gradients = group(5), current = group(6);
  bool isFinite = getNonfiniteRanks() ? group(4).front().item() == 0.0
                                      : allFinite(group(0).front()) &&
                                            llvm::all_of(gradients, allFinite);
  bool commits = count > 0 && isFinite && group(2).front().item() != 0.0;
  SmallVector<ReferenceValue> means(gradients), yielded;
  for (ReferenceValue &mean : means)
    for (double &element : mean.data)
      element /= divisor;
  if (commits || getNorm())
    if (failed(context.evaluateRegion(getBody(), means, yielded)))
      return failure();
  ValueRange names = getBody().front().getTerminator()->getOperands();
  for (auto [i, old] : llvm::enumerate(current)) {
    ReferenceValue result = commits ? yielded[i] : old;
    // A rule's first result is the parameter.
    auto rule = dyn_cast<OpResult>(names[i]);
    if (getDeltas() && rule && rule.getResultNumber() == 0)
      for (int64_t k = 0; k < result.size(); ++k)
        result.data[k] -= old.data[k];
    results.push_back(std::move(result));
  }
  results.push_back(ReferenceValue::scalar(commits ? 1.0 : 0.0));
  if (getNorm())
    results.push_back(yielded.back());
  return success();
}
