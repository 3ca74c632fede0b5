#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Softmax.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.log_softmax
//===----------------------------------------------------------------------===//

LogicalResult LogSoftmaxOp::verify() {
  return verifyAxis(getLoc(), getInput().getType(), getAxis());
}

LogicalResult LogSoftmaxOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLines(operands, getAxis(), results,
                       [](MutableArrayRef<std::vector<double>> lines) {
                         std::vector<double> &x = lines[0];
                         double maximum = *llvm::max_element(x), sum = 0.0;
                         for (double element : x)
                           sum += std::exp(element - maximum);
                         for (double &element : x)
                           element = element - maximum - std::log(sum);
                       });
}

SmallVector<Value> LogSoftmaxOp::savedForBackward() { return {getResult()}; }

LogicalResult LogSoftmaxOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      LogSoftmaxGradOp::create(context.builder, context.loc,
                               context.gradResults[0], getResult(), getAxis());
  return success();
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  LineStatistics lines =
      buildLineStatistics(builder, getLoc(), getInput(), getAxis());
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), lines.maximum, lines.exponentials},
      {builder.getMultiDimIdentityMap(type.getRank()), lines.map, lines.map},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
        return arith::SubFOp::create(b, loc, shifted,
                                     math::LogOp::create(b, loc, args[2]));
      })};
}

ErrorBounds LogSoftmaxOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  return boundLines(operands, getAxis(),
                    [](auto lines) { logSoftmax(lines[0]); });
}

int64_t LogSoftmaxOp::getFlops() { return 5 * getType().getNumElements(); }

std::vector<LayerSpec> LogSoftmaxOp::getLayerSpecs() {
  LayerSpec spec{"log_softmax", LayerSpec::Kind::Layer,
                 "Logarithm of the softmax along a dimension, `y[i] = x[i] - "
                 "log(sum over j of exp(x[j]))`."};
  spec.keys = {getAxisKey("-1")};
  return {spec};
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::buildLayer(LayerBuilder &layer) {
  FailureOr<int64_t> axis = boostc::nn::getAxis(layer);
  if (failed(axis))
    return failure();
  return SmallVector<Value>{
      LogSoftmaxOp::create(layer.builder, layer.loc, layer.inputs[0], *axis)};
}

//===----------------------------------------------------------------------===//
// nn.log_softmax_grad
//===----------------------------------------------------------------------===//

LogicalResult LogSoftmaxGradOp::verify() {
  return verifyAxis(getLoc(), getGradient().getType(), getAxis());
}

LogicalResult
LogSoftmaxGradOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLines(operands, getAxis(), results,
                       [](MutableArrayRef<std::vector<double>> lines) {
                         std::vector<double> &dy = lines[0], &y = lines[1];
                         double sum =
                             std::accumulate(dy.begin(), dy.end(), 0.0);
                         for (size_t k = 0; k < dy.size(); ++k)
                           dy[k] -= std::exp(y[k]) * sum;
                       });
}

FailureOr<SmallVector<Value>>
LogSoftmaxGradOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getGradient().getType();
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  auto [sum, line] = buildLineSum(
      builder, getLoc(), getGradient(), getAxis(),
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getGradient(), getOutput(), sum},
      {all, all, line},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value share = arith::MulFOp::create(
            b, loc, math::ExpOp::create(b, loc, args[1]), args[2]);
        return arith::SubFOp::create(b, loc, args[0], share);
      })};
}

ErrorBounds LogSoftmaxGradOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  return boundLines(operands, getAxis(), [](auto lines) {
    ApproximateSum sum;
    for (Approximate dy : lines[0])
      sum.add(dy);
    for (auto [dy, y] : llvm::zip(lines[0], lines[1])) {
      // y is a log-probability on either side, below 0 but for the rounding of
      // log: no two powers are farther apart than 0 and 1.
      Approximate power = exp(y);
      power.error = std::min(power.error, 1.0 + 4 * kElementaryError);
      dy = dy - power * sum.get();
    }
  });
}

int64_t LogSoftmaxGradOp::getFlops() { return 4 * getType().getNumElements(); }
