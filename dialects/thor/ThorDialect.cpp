#include "dialects/thor/ThorDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace boostc;

#include "dialects/thor/ThorDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/thor/ThorOps.cpp.inc"

void thor::ThorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/thor/ThorOps.cpp.inc"
      >();
}

LogicalResult thor::verifyPositive(
    Operation *op,
    std::initializer_list<std::pair<StringRef, int64_t>> numbers) {
  for (auto [name, value] : numbers)
    if (value < 1)
      return op->emitOpError("expected ")
             << name << " of 1 or more, found " << value;
  return success();
}

LogicalResult thor::verifySquare(Operation *op, ValueRange factors) {
  for (Value factor : factors) {
    auto type = cast<RankedTensorType>(factor.getType());
    if (type.getDimSize(1) != type.getDimSize(2))
      return op->emitOpError("expected square blocks, found ") << type;
  }
  return success();
}

StringRef thor::getParameterOf(StringRef name) {
  for (StringRef suffix : {kFactorA, kFactorG, kInverseA, kInverseG, kReady,
                           kAverageA, kAverageG, kAveraged, kTrace, kSettled})
    if (name.consume_back(suffix))
      return name;
  return {};
}
