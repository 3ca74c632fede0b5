#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

LogicalResult GradientsReadyOp::verify() {
  if (getBuffers().empty())
    return emitOpError("expected buffers, found none");
  for (Type type : getBuffers().getTypes())
    if (!cast<MemRefType>(type).hasStaticShape())
      return emitOpError("expected static shapes, found ") << type;
  return success();
}

void GradientsReadyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &buffer : getOperation()->getOpOperands()) {
    effects.emplace_back(MemoryEffects::Read::get(), &buffer);
    effects.emplace_back(MemoryEffects::Write::get(), &buffer);
  }
}
