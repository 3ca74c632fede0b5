#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Scalar.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/SplitDamping/Trace.h"
#include <cfloat>

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult SplitDampingOp::verify() {
  if (failed(verifySquare(*this, {getA(), getG()})))
    return failure();
  double ratio = getRatio().convertToDouble();
  if (!(ratio > 0.0) || !std::isfinite(ratio))
    return emitOpError("expected a positive ratio, found ") << ratio;
  return success();
}

Approximate thor::computeTrace(const Bounded &blocks) {
  ApproximateSum trace;
  int64_t size = blocks.value.dim(1);
  for (int64_t block = 0; block < blocks.value.dim(0); ++block)
    for (int64_t i = 0; i < size; ++i)
      trace.add(blocks.at((block * size + i) * size + i));
  return trace.get();
}

template <typename T>
static T getQuotient(T traceA, T traceG, std::optional<T> scale, double ratio) {
  T quotient = T::constant(ratio) * traceA / traceG;
  return scale ? quotient * (*scale * *scale) : quotient;
}

LogicalResult
SplitDampingOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  double a = computeTrace(Bounded(operands[0])).value;
  double g = computeTrace(Bounded(operands[1])).value;
  double scale = getScale() ? operands[2].item() : 1.0;
  double r = getRatio().convertToDouble() * scale * scale * a / g;
  if (!(r > 0.0 && r <= FLT_MAX))
    r = 1.0;
  results.push_back(ReferenceValue::scalar(operands.back().item() * r));
  results.push_back(ReferenceValue::scalar(operands.back().item() / r));
  return success();
}

ErrorBounds SplitDampingOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  std::optional<Approximate> scale;
  if (getScale())
    scale = operands[2].at(0);
  Approximate r =
      getQuotient(computeTrace(operands[0]), computeTrace(operands[1]), scale,
                  getRatio().convertToDouble());
  Approximate damping = operands.back().at(0);
  // Each side decides by its own traces.
  if (!(r.low() > 0.0) || !(r.high() < FLT_MAX)) {
    bool isUsable = r.value > 0.0 && r.value <= FLT_MAX;
    double doubt = !isUsable && !(r.error > 0.0) ? 0.0 : INFINITY;
    return {{doubt}, {doubt}};
  }
  return {{(damping * r).error}, {(damping / r).error}};
}

Value thor::buildTrace(OpBuilder &builder, Location loc, Value blocks) {
  auto number = RankedTensorType::get({}, builder.getF32Type());
  AffineExpr block = builder.getAffineDimExpr(0),
             row = builder.getAffineDimExpr(1);
  auto diagonal = AffineMap::get(2, 0, {block, row, row}, builder.getContext());
  return buildSum(
      builder, loc, number, 2, {}, blocks, diagonal,
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
}

FailureOr<SmallVector<Value>>
SplitDampingOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto number = RankedTensorType::get({}, builder.getF32Type());
  Value traceA = buildTrace(builder, loc, getA());
  Value traceG = buildTrace(builder, loc, getG());
  SmallVector<Value> inputs = {traceA, traceG};
  if (getScale())
    inputs.push_back(getScale());
  double ratio = getRatio().convertToDouble();
  Value r = buildElementwise(
      builder, loc, number, inputs,
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        std::optional<Scalar> scale;
        if (getScale())
          scale = Scalar(args[2], emitter);
        Scalar quotient = getQuotient<Scalar>({args[0], emitter},
                                              {args[1], emitter}, scale, ratio);
        ScalarCondition isPositive = quotient > 0.0;
        ScalarCondition isFinite = quotient <= FLT_MAX;
        return select(isPositive & isFinite, quotient, 1.0).get(emitter);
      });
  auto buildDamping = [&](auto compute) {
    return buildElementwise(
        builder, loc, number, {getDamping(), r},
        [&](OpBuilder &b, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(b, at);
          return compute(Scalar(args[0], emitter), Scalar(args[1], emitter))
              .get(emitter);
        });
  };
  Value a = buildDamping([](Scalar damping, Scalar r) { return damping * r; });
  Value g = buildDamping([](Scalar damping, Scalar r) { return damping / r; });
  return SmallVector<Value>{a, g};
}
