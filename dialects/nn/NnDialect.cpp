#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/Elementwise.h"
#include "dialects/nn/Losses.h"
#include "dialects/nn/Reshape.h"
#include "dialects/nn/Softmax.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/nn/NnDialect.cpp.inc"
#include "dialects/nn/NnEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"

LogicalResult boostc::nn::verifySameElements(std::optional<Location> loc,
                                             Type a, Type b) {
  if (getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
    return success();
  return emitOptionalError(loc, "expected elements of one type, found ", a,
                           " and ", b);
}

LogicalResult boostc::nn::verifyBiasElements(std::optional<Location> loc,
                                             Type bias, Type factor) {
  return getElementTypeOrSelf(bias).isF32()
             ? success()
             : verifySameElements(loc, bias, factor);
}

void boostc::nn::NnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
}
