#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace boostc::train;

static_assert(int(Role::Weight) == BOOST_ROLE_WEIGHT);
static_assert(int(Role::Bias) == BOOST_ROLE_BIAS);
static_assert(int(Role::NormScale) == BOOST_ROLE_NORM_SCALE);
static_assert(int(Role::NormShift) == BOOST_ROLE_NORM_SHIFT);
static_assert(int(Role::Embedding) == BOOST_ROLE_EMBEDDING);
static_assert(int(Role::Multiplier) == BOOST_ROLE_MULTIPLIER);
static_assert(int(ScheduleKind::Constant) == BOOST_SCHEDULE_CONSTANT);

#include "dialects/train/TrainDialect.cpp.inc"
#include "dialects/train/TrainEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/train/TrainOps.cpp.inc"

void TrainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/train/TrainAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/TrainOps.cpp.inc"
      >();
}
