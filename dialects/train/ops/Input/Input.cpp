#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc::train;

BoostInputKind InputOp::getKind() {
  if (getClasses())
    return getTarget() || cast<RankedTensorType>(getType()).getRank() == 1
               ? BOOSTC_INPUT_LABELS
               : BOOSTC_INPUT_INDICES;
  if (getSampleKeys())
    return BOOSTC_INPUT_SAMPLE_KEYS;
  if (getWeight())
    return BOOSTC_INPUT_WEIGHTS;
  if (getTarget())
    return BOOSTC_INPUT_TARGETS;
  return cast<RankedTensorType>(getType()).getElementType().isInteger(8)
             ? BOOSTC_INPUT_PIXELS
             : BOOSTC_INPUT_FEATURES;
}

LogicalResult InputOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if ((getSampleKeys() || getWeight()) &&
      (getClasses() || getTarget() || (getSampleKeys() && getWeight())))
    return emitOpError("expected '")
           << (getSampleKeys() ? "sample_keys" : "weight")
           << "' alone, found 'classes', 'target' or 'weight' with it";
  bool isInteger = type.hasStaticShape() && type.getElementType().isInteger(32);
  switch (getKind()) {
  case BOOSTC_INPUT_FEATURES:
  case BOOSTC_INPUT_TARGETS:
    if (!type.hasStaticShape() || !type.getElementType().isF32() ||
        type.getRank() < 2)
      return emitOpError("expected ")
             << (getTarget() ? "targets" : "features")
             << " as a static f32 tensor of rank 2 or more, found " << type;
    return success();
  case BOOSTC_INPUT_PIXELS:
    if (!type.hasStaticShape() || type.getRank() != 4)
      return emitOpError("expected pixels as a static i8 tensor of rank 4, "
                         "found ")
             << type;
    return success();
  case BOOSTC_INPUT_LABELS:
  case BOOSTC_INPUT_INDICES:
    if (!isInteger || type.getRank() < 1)
      return emitOpError("expected labels or indices as a static tensor of "
                         "i32, found ")
             << type;
    if (static_cast<int64_t>(*getClasses()) < 2)
      return emitOpError("expected 2 or more classes, found ")
             << static_cast<int64_t>(*getClasses());
    return success();
  case BOOSTC_INPUT_WEIGHTS: {
    if (!type.hasStaticShape() || !type.getElementType().isF32() ||
        type.getRank() < 1)
      return emitOpError("expected weights as a static f32 tensor of rank 1 or "
                         "more, found ")
             << type;
    for (auto other : cast<ProgramOp>((*this)->getParentOp()).getOps<InputOp>())
      if (other != *this && other.getWeight() &&
          other->isBeforeInBlock(*this)) {
        InFlightDiagnostic diagnostic =
            emitOpError("expected one input of weights at most");
        diagnostic.attachNote(other.getLoc()) << "the first one is here";
        return diagnostic;
      }
    return success();
  }
  case BOOSTC_INPUT_SAMPLE_KEYS:
    if (!isInteger || type.getRank() != 1)
      return emitOpError("expected sample keys as a static vector of i32, "
                         "found ")
             << type;
    return success();
  }
  llvm_unreachable("all kinds are listed");
}
