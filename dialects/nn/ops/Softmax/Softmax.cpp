#include "dialects/nn/Softmax.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.softmax
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyAxis(getLoc(), getInput().getType(), getAxis());
}

LogicalResult SoftmaxOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLines(operands, getAxis(), results,
                       [](MutableArrayRef<std::vector<double>> lines) {
                         std::vector<double> &x = lines[0];
                         double maximum = *llvm::max_element(x), sum = 0.0;
                         for (double element : x)
                           sum += std::exp(element - maximum);
                         for (double &element : x)
                           element = std::exp(element - maximum) / sum;
                       });
}

SmallVector<Value> SoftmaxOp::savedForBackward() { return {getResult()}; }

LogicalResult SoftmaxOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      SoftmaxGradOp::create(context.builder, context.loc,
                            context.gradResults[0], getResult(), getAxis());
  return success();
}

FailureOr<SmallVector<Value>> SoftmaxOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  LineStatistics lines =
      buildLineStatistics(builder, getLoc(), getInput(), getAxis());
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), lines.maximum, lines.exponentials},
      {builder.getMultiDimIdentityMap(type.getRank()), lines.map, lines.map},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
        return arith::DivFOp::create(
            b, loc, math::ExpOp::create(b, loc, shifted), args[2]);
      })};
}

ErrorBounds SoftmaxOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue>) {
  return boundLines(operands, getAxis(), [](auto lines) { softmax(lines[0]); });
}

int64_t SoftmaxOp::getFlops() { return 5 * getType().getNumElements(); }

std::vector<LayerSpec> SoftmaxOp::getLayerSpecs() {
  LayerSpec spec{"softmax", LayerSpec::Kind::Layer,
                 "Softmax along a dimension, `y[i] = exp(x[i]) / sum over j of "
                 "exp(x[j])`."};
  spec.keys = {getAxisKey("-1")};
  return {spec};
}

FailureOr<SmallVector<Value>> SoftmaxOp::buildLayer(LayerBuilder &layer) {
  FailureOr<int64_t> axis = boostc::nn::getAxis(layer);
  if (failed(axis))
    return failure();
  return SmallVector<Value>{
      SoftmaxOp::create(layer.builder, layer.loc, layer.inputs[0], *axis)};
}

//===----------------------------------------------------------------------===//
// nn.softmax_grad
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxGradOp::verify() {
  return verifyAxis(getLoc(), getGradient().getType(), getAxis());
}

LogicalResult
SoftmaxGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLines(operands, getAxis(), results,
                       [](MutableArrayRef<std::vector<double>> lines) {
                         std::vector<double> &dy = lines[0], &y = lines[1];
                         double sum = std::inner_product(dy.begin(), dy.end(),
                                                         y.begin(), 0.0);
                         for (size_t k = 0; k < dy.size(); ++k)
                           dy[k] = y[k] * (dy[k] - sum);
                       });
}

FailureOr<SmallVector<Value>> SoftmaxGradOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getGradient().getType();
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  auto [sum, line] =
      buildLineSum(builder, getLoc(), {getGradient(), getOutput()}, getAxis(),
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return arith::MulFOp::create(b, loc, args[0], args[1]);
                   });
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getGradient(), getOutput(), sum},
      {all, all, line},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value rest = arith::SubFOp::create(b, loc, args[0], args[2]);
        return arith::MulFOp::create(b, loc, args[1], rest);
      })};
}

ErrorBounds SoftmaxGradOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue>) {
  return boundLines(operands, getAxis(), [](auto lines) {
    ApproximateSum sum;
    for (auto [dy, y] : llvm::zip(lines[0], lines[1]))
      sum.add(dy * y);
    for (auto [dy, y] : llvm::zip(lines[0], lines[1]))
      dy = y * (dy - sum.get());
  });
}

int64_t SoftmaxGradOp::getFlops() { return 4 * getType().getNumElements(); }
