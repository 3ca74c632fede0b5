#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc::train;

LogicalResult ParameterOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape() || !type.getElementType().isF32() ||
      type.getNumElements() < 1)
    return emitOpError(
               "expected a static tensor of f32 that is not empty, found ")
           << type;
  return success();
}
