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
                     Value count, ValueRange gradients, ValueRange current,
                     bool norm) {
  SmallVector<Type> types(current.getTypes());
  types.push_back(RankedTensorType::get({}, builder.getI32Type()));
  if (norm)
    types.push_back(RankedTensorType::get({}, builder.getF32Type()));
  build(builder, state, types, loss, count, gradients, current, norm);
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
    return emitOpError("expected the region to take the gradients' types (")
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
      return op.emitOpError("is no first-order rule, no change of a gradient "
                            "and makes no scalar; the region of ")
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
  SmallVector<ReferenceValue> means(gradients), yielded;
  for (ReferenceValue &mean : means)
    for (double &element : mean.data)
      element /= count;
  if (commits || getNorm())
    if (failed(context.evaluateRegion(getBody(), means, yielded)))
      return failure();
  if (commits)
    results.append(yielded.begin(), yielded.begin() + current.size());
  else
    llvm::append_range(results, current);
  results.push_back(ReferenceValue::scalar(commits ? 1.0 : 0.0));
  if (getNorm())
    results.push_back(yielded.back());
  return success();
}
