#include "dialects/rt/CollectiveForm.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

static CollectiveForm getForm(CollectiveOp op) {
  CollectiveForm form(op.getKind(), op.getRanks(), op.getOperands().size());
  form.groups.assign(op.getGroups().begin(), op.getGroups().end());
  form.root = static_cast<int32_t>(op.getRoot());
  return form;
}

LogicalResult CollectiveOp::verify() {
  return verifyForm(*this, getForm(*this), getOperands().size());
}

void CollectiveOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (isa<RankedTensorType>(operand.get().getType()))
      return; // a value: no effects
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// With one rank.
LogicalResult CollectiveOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  llvm::append_range(results, operands);
  return success();
}

std::vector<RankValues>
CollectiveOp::evaluateOnRanks(ArrayRef<RankValues> operands) {
  return rt::evaluateOnRanks(getForm(*this), operands);
}
