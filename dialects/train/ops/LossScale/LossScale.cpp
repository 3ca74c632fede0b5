#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.unscale_gradient
//===----------------------------------------------------------------------===//

LogicalResult
UnscaleGradientOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  for (double &x : result.data)
    x /= operands[1].item();
  results.push_back(std::move(result));
  return success();
}

ErrorBounds UnscaleGradientOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue>) {
  return boundElements(operands, 1,
                       [](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] / x[1];
                         y[0].error += kUnderflow;
                       });
}

Value UnscaleGradientOp::buildScalarTransform(OpBuilder &builder,
                                              ValueRange operands) {
  return arith::DivFOp::create(builder, getLoc(), operands[0], operands[1]);
}

//===----------------------------------------------------------------------===//
// train.adjust_loss_scale
//===----------------------------------------------------------------------===//

void AdjustLossScaleOp::getAsmResultNames(
    llvm::function_ref<void(Value, StringRef)> setName) {
  setName(getNewScale(), "scale");
  setName(getNewSteps(), "steps");
  setName(getUsed(), "used");
}

LogicalResult AdjustLossScaleOp::verify() {
  double factor = getFactor().convertToDouble();
  if (!(factor > 1.0 && std::isfinite(factor)))
    return emitOpError("expected a finite factor above 1, found ") << factor;
  if (static_cast<int64_t>(getWindow()) < 1)
    return emitOpError("expected a window of 1 or more, found ")
           << static_cast<int64_t>(getWindow());
  return success();
}

LogicalResult
AdjustLossScaleOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  double scale = operands[0].item(), steps = operands[1].item();
  double next = scale;
  if (operands[2].item() > 0.0) {
    double factor = getFactor().convertToDouble();
    if (operands[3].item() == 0.0) {
      next = std::max(scale / factor, 1.0);
      steps = 0.0;
    } else if (++steps >= static_cast<double>(getWindow())) {
      if (scale * factor <= std::numeric_limits<float>::max())
        next = scale * factor;
      steps = 0.0;
    }
  }
  results.append({ReferenceValue::scalar(next), ReferenceValue::scalar(steps),
                  ReferenceValue::scalar(scale)});
  return success();
}

ErrorBounds AdjustLossScaleOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue> results) {
  // One product or quotient, with the factor as f32 has it.
  auto factor = Approximate::constant(getFactor().convertToDouble());
  Approximate scale = operands[0].at(0), next = scale;
  if (results[0].item() != scale.value)
    next = results[0].item() > scale.value ? scale * factor : scale / factor;
  return {{next.error}, {0.0}, {scale.error}};
}

FailureOr<SmallVector<Value>>
AdjustLossScaleOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  Value used = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{},
                                       builder.getF32Type());
  auto generic = linalg::GenericOp::create(
      builder, loc, getResultTypes(), ValueRange{getSamples(), getApplied()},
      ValueRange{getScale(), getSteps(), used},
      SmallVector<AffineMap>(5, builder.getMultiDimIdentityMap(0)),
      ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        Value scale = args[2], steps = args[3];
        auto integer = [&](int64_t value) -> Value {
          return arith::ConstantOp::create(b, at, b.getI64IntegerAttr(value));
        };
        auto choose = [&](Value condition, Value yes, Value no) -> Value {
          return arith::SelectOp::create(b, at, condition, yes, no);
        };
        Value one = buildConstant(b, at, 1.0), none = integer(0);
        Value factor =
            buildRoundedConstant(b, at, getFactor().convertToDouble());
        Value quotient = arith::DivFOp::create(b, at, scale, factor);
        Value lower = arith::MaximumFOp::create(b, at, quotient, one);
        Value product = arith::MulFOp::create(b, at, scale, factor);
        Value isFinite = arith::CmpFOp::create(
            b, at, arith::CmpFPredicate::OLE, product,
            buildConstant(b, at, std::numeric_limits<float>::max()));
        Value higher = choose(isFinite, product, scale);
        Value count = arith::AddIOp::create(b, at, steps, integer(1));
        Value isFull =
            arith::CmpIOp::create(b, at, arith::CmpIPredicate::sge, count,
                                  integer(static_cast<int64_t>(getWindow())));
        Value isApplied = buildIsSet(b, at, args[1]);
        Value newScale =
            choose(isApplied, choose(isFull, higher, scale), lower);
        Value newSteps = choose(isApplied, choose(isFull, none, count), none);
        Value hasSamples = buildHasSamples(b, at, args[0]);
        linalg::YieldOp::create(b, at,
                                ValueRange{choose(hasSamples, newScale, scale),
                                           choose(hasSamples, newSteps, steps),
                                           scale});
      });
  return SmallVector<Value>(generic.getResults());
}
