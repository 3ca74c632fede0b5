#include "dialects/rt/DampedInverse.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

LogicalResult DampedInverseOp::verify() {
  auto matrices = cast<ShapedType>(getMatrices().getType());
  auto inverses = cast<ShapedType>(getInverses().getType());
  auto flags = cast<ShapedType>(getFailed().getType());
  if (!matrices.hasStaticShape() || matrices.getRank() != 3 ||
      matrices.getDimSize(1) != matrices.getDimSize(2) ||
      inverses.getShape() != matrices.getShape() ||
      flags.getShape() != matrices.getShape().take_front())
    return emitOpError("expected square matrices of static shape, as many "
                       "inverses of their size and a flag for each, found ")
           << matrices << ", " << inverses << " and " << flags;
  return verifyDestinationStyle(*this);
}

void DampedInverseOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, /*workspace=*/{}, effects);
}

int64_t DampedInverseOp::getFlops() {
  return countInverseFlops(cast<ShapedType>(getMatrices().getType()));
}

int64_t DampedInverseOp::getBytesRead() {
  return countBytes(getMatrices().getType());
}

int64_t DampedInverseOp::getBytesWritten() {
  return countBytes({getInverses().getType(), getFailed().getType()});
}

LogicalResult
DampedInverseOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  DampedInverses inverses = invertDamped(
      Bounded(operands[0]), Bounded(operands[1]), Bounded(operands[2]));
  results.push_back(std::move(inverses.value));
  results.push_back(std::move(inverses.failed));
  return success();
}
