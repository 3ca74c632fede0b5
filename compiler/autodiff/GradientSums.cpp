#include "compiler/autodiff/GradientSums.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::autodiff;

void GradientSums::add(OpBuilder &builder, Location loc, Value primal,
                       Value gradient) {
  // A sum over samples is of f32, whatever it is the gradient of.
  if (gradient.getType() != primal.getType())
    gradient = nn::CastOp::create(builder, loc, primal.getType(), gradient);
  Value &sum = sums[primal];
  if (!sum) {
    sum = gradient;
    return;
  }
  auto first = sum.getDefiningOp<nn::CastOp>();
  auto second = gradient.getDefiningOp<nn::CastOp>();
  // Added before they are rounded.
  if (first && second &&
      first.getInput().getType() == second.getInput().getType())
    sum = nn::CastOp::create(
        builder, loc, primal.getType(),
        nn::AddOp::create(builder, loc, first.getInput(), second.getInput()));
  else
    sum = nn::AddOp::create(builder, loc, sum, gradient);
}
