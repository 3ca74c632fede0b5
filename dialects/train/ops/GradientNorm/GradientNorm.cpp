// Norms of gradients and what is done with them before a rule.

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static RankedTensorType getScalarType(OpBuilder &b) {
  return RankedTensorType::get({}, b.getF32Type());
}

//===----------------------------------------------------------------------===//
// train.squared_norm
//===----------------------------------------------------------------------===//

LogicalResult
SquaredNormOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  double sum = 0.0;
  for (double x : operands[0].data)
    sum += x * x;
  results.push_back(ReferenceValue::scalar(sum));
  return success();
}

ErrorBounds SquaredNormOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue>) {
  return {{boundInnerProduct(operands[0], operands[0]).error}};
}

FailureOr<SmallVector<Value>> SquaredNormOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildSquaredNorm(builder, getLoc(), getInput())};
}

Approximate boostc::train::boundInnerProduct(const Bounded &a,
                                             const Bounded &b) {
  ApproximateSum sum;
  for (int64_t i = 0; i < a.value.size(); ++i)
    sum.add(a.at(i) * b.at(i));
  return sum.get();
}

/// The sum of the products of the elements of `factors`, of the first with
/// those of the last.
static Value sumProducts(OpBuilder &builder, Location loc, ValueRange factors) {
  auto type = cast<RankedTensorType>(factors.front().getType());
  unsigned rank = type.getRank();
  auto addProduct = [](OpBuilder &b, Location at, ValueRange args) -> Value {
    Value product =
        arith::MulFOp::create(b, at, args.front(), args.drop_back().back());
    return buildSumStep(b, at, args.back(), product);
  };
  SmallVector<AffineMap> maps(factors.size(),
                              builder.getMultiDimIdentityMap(rank));
  if (rank < 2)
    return buildReduction(builder, loc, getScalarType(builder),
                          builder.getF32FloatAttr(0.0), rank, {}, factors, maps,
                          addProduct);
  // Rows first: they are independent and run on all threads.
  auto rows =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  Value sums = buildReduction(builder, loc, rows, builder.getF32FloatAttr(0.0),
                              rank, {0}, factors, maps, addProduct);
  return buildReduction(
      builder, loc, getScalarType(builder), builder.getF32FloatAttr(0.0), 1, {},
      sums, builder.getMultiDimIdentityMap(1),
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        return buildSumStep(b, at, args[1], args[0]);
      });
}

Value boostc::train::buildSquaredNorm(OpBuilder &builder, Location loc,
                                      Value tensor) {
  return sumProducts(builder, loc, tensor);
}

Value boostc::train::buildInnerProduct(OpBuilder &builder, Location loc,
                                       Value a, Value b) {
  return sumProducts(builder, loc, {a, b});
}

//===----------------------------------------------------------------------===//
// train.global_norm
//===----------------------------------------------------------------------===//

LogicalResult GlobalNormOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  double sum = 0.0;
  for (const ReferenceValue &square : operands)
    sum += square.item();
  results.push_back(ReferenceValue::scalar(std::sqrt(sum)));
  return success();
}

ErrorBounds GlobalNormOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  ApproximateSum sum;
  for (const Bounded &square : operands)
    sum.add(square.at(0));
  return {{sqrt(sum.get()).error}};
}

FailureOr<SmallVector<Value>> GlobalNormOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getScalarType(builder), getSquares(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value sum = buildConstant(b, loc, 0.0);
        for (Value square : args.drop_back())
          sum = arith::AddFOp::create(b, loc, sum, square);
        return math::SqrtOp::create(b, loc, sum);
      })};
}

//===----------------------------------------------------------------------===//
// train.clip_factor
//===----------------------------------------------------------------------===//

/// Keeps a zero norm from being divided by.
constexpr double kNormGuard = 1e-6;

LogicalResult ClipFactorOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  double ratio =
      getLimit().convertToDouble() / (operands[0].item() + kNormGuard);
  results.push_back(ReferenceValue::scalar(std::min(1.0, ratio)));
  return success();
}

ErrorBounds ClipFactorOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  Approximate guarded = operands[0].at(0) + Approximate::constant(kNormGuard);
  Approximate limit = Approximate::constant(getLimit().convertToDouble());
  Approximate factor = min(limit / guarded, 1.0);
  return {{boundShareError(factor)}};
}

double boostc::train::boundShareError(Approximate factor) {
  double maxError = std::max(factor.value, 1.0 - factor.value);
  return factor.error <= maxError ? factor.error : maxError;
}

FailureOr<SmallVector<Value>> ClipFactorOp::lowerToLinalg(OpBuilder &builder) {
  double limit = getLimit().convertToDouble();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getScalarType(builder), getNorm(),
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value guarded = arith::AddFOp::create(
            b, loc, args[0], buildRoundedConstant(b, loc, kNormGuard));
        Value ratio = arith::DivFOp::create(
            b, loc, buildRoundedConstant(b, loc, limit), guarded);
        return arith::MinimumFOp::create(b, loc, buildConstant(b, loc, 1.0),
                                         ratio);
      })};
}

//===----------------------------------------------------------------------===//
// train.trust_ratio
//===----------------------------------------------------------------------===//

LogicalResult TrustRatioOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  double w = std::sqrt(operands[0].item()), g = std::sqrt(operands[1].item());
  double divisor = g + getWeightDecay().convertToDouble() * w +
                   getEpsilon().convertToDouble();
  bool isDefined = w > 0.0 && g > 0.0;
  results.push_back(ReferenceValue::scalar(
      isDefined ? getCoefficient().convertToDouble() * w / divisor : 1.0));
  return success();
}

ErrorBounds TrustRatioOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  auto constant = [](APFloat value) {
    return Approximate::constant(value.convertToDouble());
  };
  Approximate w = sqrt(operands[0].at(0)), g = sqrt(operands[1].at(0));
  Approximate rest = constant(getWeightDecay()) * w + constant(getEpsilon());
  if (w.value <= 0.0 || g.value <= 0.0) {
    // 1, unless rounding leaves a gradient. Without decay and epsilon nothing
    // would bound a quotient by that, which is taken to be 0 as well.
    if (g.error <= 0.0 || rest.value <= rest.error)
      return {};
    double most = getCoefficient().convertToDouble() * (w.value + w.error) /
                  (rest.value - rest.error);
    return {{std::max(1.0, most)}};
  }
  Approximate divisor = g + rest;
  Approximate ratio = constant(getCoefficient()) * w / divisor;
  // Where a norm may be 0, so may the ratio be 1.
  double error = ratio.error;
  if (w.value <= w.error || g.value <= g.error)
    error = std::max(error, std::abs(1.0 - ratio.value));
  return {{error}};
}

FailureOr<SmallVector<Value>> TrustRatioOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getScalarType(builder), {getWeight(), getGradient()},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = buildConstant(b, loc, 0.0);
        Value w = math::SqrtOp::create(b, loc, args[0]);
        Value g = math::SqrtOp::create(b, loc, args[1]);
        Value decay = arith::MulFOp::create(
            b, loc,
            buildRoundedConstant(b, loc, getWeightDecay().convertToDouble()),
            w);
        Value divisor = arith::AddFOp::create(
            b, loc, arith::AddFOp::create(b, loc, g, decay),
            buildRoundedConstant(b, loc, getEpsilon().convertToDouble()));
        Value scaled = arith::MulFOp::create(
            b, loc,
            buildRoundedConstant(b, loc, getCoefficient().convertToDouble()),
            w);
        Value ratio = arith::DivFOp::create(b, loc, scaled, divisor);
        auto isPositive = [&](Value norm) -> Value {
          return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, norm,
                                       zero);
        };
        Value isDefined =
            arith::AndIOp::create(b, loc, isPositive(w), isPositive(g));
        return arith::SelectOp::create(b, loc, isDefined, ratio,
                                       buildConstant(b, loc, 1.0));
      })};
}

//===----------------------------------------------------------------------===//
// train.scale_gradient
//===----------------------------------------------------------------------===//

LogicalResult
ScaleGradientOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  for (double &x : result.data)
    x *= operands[1].item();
  results.push_back(std::move(result));
  return success();
}

ErrorBounds ScaleGradientOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return boundElements(operands, 1,
                       [](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] * x[1];
                       });
}

Value ScaleGradientOp::buildScalarTransform(OpBuilder &builder,
                                            ValueRange operands) {
  return arith::MulFOp::create(builder, getLoc(), operands[0], operands[1]);
}

//===----------------------------------------------------------------------===//
// train.clamp_gradient
//===----------------------------------------------------------------------===//

LogicalResult
ClampGradientOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  double limit = getLimit().convertToDouble();
  ReferenceValue result = operands[0];
  for (double &x : result.data)
    x = std::min(std::max(x, -limit), limit);
  results.push_back(std::move(result));
  return success();
}

ErrorBounds ClampGradientOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  Approximate limit = Approximate::constant(getLimit().convertToDouble());
  return boundElements(operands, 1,
                       [=](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = clamp(x[0], limit);
                       });
}

Value ClampGradientOp::buildScalarTransform(OpBuilder &builder,
                                            ValueRange operands) {
  double limit = getLimit().convertToDouble();
  Value low = buildRoundedConstant(builder, getLoc(), -limit);
  Value high = buildRoundedConstant(builder, getLoc(), limit);
  Value raised = arith::MaximumFOp::create(builder, getLoc(), operands[0], low);
  return arith::MinimumFOp::create(builder, getLoc(), raised, high);
}
