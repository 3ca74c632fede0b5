#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc::train;

LogicalResult InputOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!getClasses()) {
    if (!type.hasStaticShape() || !type.getElementType().isF32() ||
        type.getRank() < 2)
      return emitOpError(
                 "expected features as a static f32 tensor of rank 2 or more, "
                 "found ")
             << type;
    return success();
  }
  if (!type.hasStaticShape() || !type.getElementType().isInteger(32) ||
      type.getRank() != 1)
    return emitOpError("expected labels as a static vector of i32, found ")
           << type;
  if (static_cast<int64_t>(*getClasses()) < 2)
    return emitOpError("expected 2 or more classes, found ")
           << static_cast<int64_t>(*getClasses());
  return success();
}
