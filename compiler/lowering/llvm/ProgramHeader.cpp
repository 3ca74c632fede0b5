#include "compiler/lowering/llvm/ProgramHeader.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

void boostc::describeArenas(train::ProgramOp program, BoostProgram &header) {
  for (auto slot : program.getBody().getOps<rt::SlotOp>()) {
    uint64_t &bytes =
        header.arena_bytes[static_cast<unsigned>(slot.getArena())];
    uint64_t end = slot.getOffset() + countBytes(slot.getType());
    bytes = std::max<uint64_t>(bytes, llvm::alignTo(end, BOOSTC_ALIGNMENT));
  }
  if (!program.accumulatesInPlace())
    header.arena_bytes[BOOSTC_ARENA_GRADIENT_OTHER] =
        header.arena_bytes[BOOSTC_ARENA_GRADIENT];
}

void boostc::describeAdasum(train::ProgramOp program, BoostProgram &header) {
  auto adasum =
      program->getAttrOfType<train::AdasumAttr>(train::kAdasumAttrName);
  if (!adasum)
    return;
  header.adasum_scope = static_cast<uint32_t>(adasum.getScope());
  header.state_is_private =
      !program.getBody().getOps<train::StateOp>().empty() &&
      adasum.getMode() == train::AdasumMode::Delta;
}

BoostCollective boostc::describeCollective(rt::CollectiveOp op) {
  BoostCollective collective = {};
  collective.kind = static_cast<uint32_t>(op.getKind());
  collective.ranks = static_cast<uint32_t>(op.getRanks());
  collective.index = op.getIndex();
  collective.root = static_cast<int32_t>(op.getRoot());
  return collective;
}

BoostCollectiveOperand boostc::describeOperand(ShapedType type, int32_t group) {
  std::optional<BoostDType> dtype = describeElements(type);
  assert(dtype && "the op's definition admits f32 and i64");
  BoostCollectiveOperand operand = {};
  operand.elements = static_cast<uint64_t>(type.getNumElements());
  operand.rows =
      type.getRank() == 0 ? 1 : static_cast<uint64_t>(type.getDimSize(0));
  operand.dtype = *dtype;
  operand.group = static_cast<uint32_t>(group);
  operand.parameter = UINT32_MAX;
  return operand;
}

std::optional<BoostDType> boostc::describeElements(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF32())
    return BOOSTC_F32;
  if (element.isInteger(8))
    return BOOSTC_U8;
  if (element.isInteger(32))
    return BOOSTC_I32;
  if (element.isInteger(64))
    return BOOSTC_I64;
  return std::nullopt;
}
