#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

LogicalResult CollectiveOp::verify() {
  ArrayRef<int32_t> groups = getGroups();
  if (groups.size() != getExchanged().size() ||
      llvm::any_of(groups, [](int32_t group) { return group < 0; }))
    return emitOpError("expected a group of 0 or more for each of ")
           << getExchanged().size() << " operands, found [" << groups << "]";
  return success();
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
