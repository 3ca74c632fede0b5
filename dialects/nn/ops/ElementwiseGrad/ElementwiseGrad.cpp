#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult ElementwiseGradOp::verify() {
  return getFunction().verifyOp(getLoc(), getType(), getType());
}

ScalarRule ElementwiseGradOp::getScalarRule() {
  return getFunction().getGradientRule(getType(), getType());
}
