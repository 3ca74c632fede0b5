#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

LogicalResult CollectiveOp::verify() {
  return verifyGroups(*this, getGroups(), getExchanged().size());
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

/// Of one rank.
LogicalResult CollectiveOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  llvm::append_range(results, operands);
  return success();
}
