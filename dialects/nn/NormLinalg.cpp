#include "dialects/nn/NormLinalg.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace boostc;

Value nn::buildNormScale(OpBuilder &builder, Location loc, Value variance,
                         double epsilon) {
  Value sum = arith::AddFOp::create(
      builder, loc, variance, buildRoundedConstant(builder, loc, epsilon));
  Value root = math::SqrtOp::create(builder, loc, sum);
  return arith::DivFOp::create(builder, loc, buildConstant(builder, loc, 1.0),
                               root);
}

Value nn::buildNormalized(OpBuilder &builder, Location loc, Value x, Value mean,
                          Value scale) {
  Value distance = arith::SubFOp::create(builder, loc, x, mean);
  return arith::MulFOp::create(builder, loc, distance, scale);
}

Value nn::buildAffine(OpBuilder &builder, Location loc, Value z, Value gamma,
                      Value beta) {
  Value product = arith::MulFOp::create(builder, loc, gamma, z);
  return arith::AddFOp::create(builder, loc, product, beta);
}

Value nn::buildNormGradient(OpBuilder &builder, Location loc, Value g, Value z,
                            Value meanOfG, Value meanOfProducts, Value scale) {
  Value centred = arith::SubFOp::create(builder, loc, g, meanOfG);
  Value along = arith::MulFOp::create(builder, loc, z, meanOfProducts);
  Value rest = arith::SubFOp::create(builder, loc, centred, along);
  return arith::MulFOp::create(builder, loc, rest, scale);
}
