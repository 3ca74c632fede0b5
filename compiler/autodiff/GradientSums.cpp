#include "compiler/autodiff/GradientSums.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::autodiff;

void GradientSums::add(OpBuilder &builder, Location loc, Value primal,
                       Value gradient) {
  assert(gradient.getType() == primal.getType() &&
         "a gradient has the type of its value");
  Value &sum = sums[primal];
  sum = sum ? nn::AddOp::create(builder, loc, sum, gradient).getResult()
            : gradient;
}
