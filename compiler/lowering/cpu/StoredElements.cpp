#include "compiler/lowering/cpu/StoredElements.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace boostc;

Value boostc::getStoredElement(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return {};
  unsigned number = cast<OpResult>(value).getResultNumber();
  bool isOwn = op.getRegionOutputArgs()[number].use_empty() &&
               op.getOutputs()[number].getDefiningOp<tensor::EmptyOp>();
  return isOwn ? op.getBody()->getTerminator()->getOperand(number) : Value();
}

/// The element of `value` that `use` reads, now of type `type`.
static void readAs(OpOperand &use, Type type) {
  auto user = cast<linalg::GenericOp>(use.getOwner());
  BlockArgument element = user.getMatchingBlockArgument(&use);
  Type before = element.getType();
  element.setType(type);
  if (before.isF32()) {
    OpBuilder builder = OpBuilder::atBlockBegin(user.getBody());
    Value wide = buildExtension(builder, user.getLoc(), element);
    element.replaceAllUsesExcept(wide, wide.getDefiningOp());
    return;
  }
  for (Operation *extension : llvm::make_early_inc_range(element.getUsers())) {
    extension->getResult(0).replaceAllUsesWith(element);
    extension->erase();
  }
}

void boostc::storeElement(Value value, Value element) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto type = cast<RankedTensorType>(value.getType());
  Type stored = element.getType();
  OpBuilder builder(op);
  Operation *memory = op.getOutputs()[number].getDefiningOp();
  op.getDpsInitsMutable()[number].set(
      tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), stored));
  if (memory->use_empty())
    memory->erase();
  op.getRegionOutputArgs()[number].setType(stored);
  Operation *yield = op.getBody()->getTerminator();
  Operation *conversion = yield->getOperand(number).getDefiningOp();
  yield->setOperand(number, element);
  if (conversion && isOpTriviallyDead(conversion))
    conversion->erase();
  value.setType(type.clone(stored));
  for (OpOperand &use : value.getUses())
    if (isa<linalg::GenericOp>(use.getOwner()))
      readAs(use, stored);
}
