#include "dialects/rt/DampedInverse.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

LogicalResult DampedInverseOp::verify() {
  auto matrices = cast<ShapedType>(getMatrices().getType());
  auto inverses = cast<ShapedType>(getInverses().getType());
  auto weights = cast<ShapedType>(getWeight().getType());
  auto flags = cast<ShapedType>(getFailed().getType());
  if (!matrices.hasStaticShape() || matrices.getRank() != 3 ||
      matrices.getDimSize(1) != matrices.getDimSize(2) ||
      inverses.getShape() != matrices.getShape() ||
      weights.getShape() != matrices.getShape().take_front() ||
      flags.getShape() != matrices.getShape().take_front())
    return emitOpError("expected square matrices of static shape, as many "
                       "inverses of their size, and a weight and a flag for "
                       "each, found ")
           << matrices << ", " << inverses << ", " << weights << " and "
           << flags;
  return verifyDestinationStyle(*this);
}

void DampedInverseOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, {getScratch()}, effects);
}

/// An elimination has as many multiply-adds as a matmul of such matrices.
MatmulShape DampedInverseOp::getMatmulShape() {
  auto type = cast<ShapedType>(getMatrices().getType());
  int64_t extent = type.getDimSize(1);
  return {extent, extent, extent, type.getDimSize(0)};
}

bool DampedInverseOp::isLegalOn(BoostTargetKind target) {
  return target == BOOSTC_TARGET_CPU;
}

void DampedInverseOp::describeCall(BoostLibraryCall &call) {
  MatmulShape shape = getMatmulShape();
  call.kind = BOOSTC_LIBRARY_DAMPED_INVERSE;
  call.factor_type = call.result_type = BOOSTC_FLOAT_F32;
  call.damped_inverse = {shape.count, shape.rows};
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
