#include "dialects/check/CheckDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "dialects/check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/check/CheckOps.cpp.inc"

void boostc::check::CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/check/CheckOps.cpp.inc"
      >();
}
