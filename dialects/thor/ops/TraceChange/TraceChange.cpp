#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/NamedOperands.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"
#include "dialects/thor/ops/SplitDamping/Trace.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult TraceChangeOp::verify() {
  if (failed(verifySquare(*this, {getA(), getG()})))
    return failure();
  if (getMean() && getScale())
    return emitOpError("expected means without a scale");
  double above = getAbove().convertToDouble(),
         below = getBelow().convertToDouble();
  if (!(above > 0.0) || !std::isfinite(above))
    return emitOpError("expected a positive limit, found ") << above;
  if (!(below >= 0.0 && below <= above))
    return emitOpError("expected a lower limit from 0 to ")
           << above << ", found " << below;
  return verifyPositive(*this, {{"rows", getRowsA()},
                                {"rows", getRowsG()},
                                {"positions", getPositions()},
                                {"sizes", getSizeA()},
                                {"sizes", getSizeG()}});
}

namespace {

/// The definition, for numbers with their errors and for code.
template <typename T> struct Traces {
  T a, g;                 ///< of the sums
  T count;                ///< of samples
  std::optional<T> scale; ///< of the gradients that `g` is of
  T dampingA, dampingG;

  T getTrace(TraceChangeOp op) const {
    auto positions = static_cast<double>(op.getPositions());
    auto getRows = [&](uint64_t rows) {
      return op.getMean()
                 ? std::nullopt
                 : std::optional(static_cast<double>(rows) * positions);
    };
    auto addDamping = [&](T sum, T weight, T damping, uint64_t size) {
      T mean = sum * weight;
      T added = getAddedDamping<T>(damping, positions);
      return mean + T::constant(static_cast<double>(size)) * added;
    };
    T weightA = getRowWeight<T>(count, std::nullopt, getRows(op.getRowsA()));
    T weightG = getRowWeight<T>(count, scale, getRows(op.getRowsG()));
    T first = addDamping(a, weightA, dampingA, op.getSizeA());
    T second = addDamping(g, weightG, dampingG, op.getSizeG());
    return first * second;
  }
};

} // namespace

template <typename T> static T getChange(T trace, T before) {
  T difference = abs(trace - before);
  return difference / before;
}

namespace {

/// What an op computes, and what of.
struct Comparison {
  Approximate trace, before, change;
  bool isEmpty; ///< nothing to compare, or to compare with

  Comparison(TraceChangeOp op, NamedOperands<TraceChangeOp> &operands)
      : before(operands.getBefore()->at(0)) {
    Approximate count = operands.getCount()->at(0);
    std::optional<Approximate> scale;
    if (operands.getScale())
      scale = operands.getScale()->at(0);
    trace = Traces<Approximate>{computeTrace(*operands.getA()),
                                computeTrace(*operands.getG()),
                                count,
                                scale,
                                operands.getDampingA()->at(0),
                                operands.getDampingG()->at(0)}
                .getTrace(op);
    change = getChange(trace, before);
    auto isZero = [](Approximate number) {
      return number.value == 0.0 && number.error == 0.0;
    };
    isEmpty = isZero(before) || isZero(count);
  }
};

} // namespace

LogicalResult
TraceChangeOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  return withNames(*this, operands, [&](NamedOperands<TraceChangeOp> &named) {
    Comparison found(*this, named);
    double change = found.change.value;
    results.push_back(ReferenceValue::scalar(found.trace.value));
    results.push_back(
        ReferenceValue::scalar(change <= getAbove().convertToDouble()));
    results.push_back(
        ReferenceValue::scalar(change < getBelow().convertToDouble()));
    return success();
  });
}

ErrorBounds TraceChangeOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue>) {
  return withNames(
      *this, operands, [&](NamedOperands<TraceChangeOp> &named) -> ErrorBounds {
        Comparison found(*this, named);
        // Each side decides by its own traces.
        auto getDoubt = [&](const APFloat &limit) {
          Approximate rest =
              found.change - Approximate::constant(limit.convertToDouble());
          bool isCertain = found.isEmpty || std::abs(rest.value) > rest.error;
          return isCertain ? 0.0 : INFINITY;
        };
        return {{found.trace.error},
                {getDoubt(getAbove())},
                {getDoubt(getBelow())}};
      });
}

FailureOr<SmallVector<Value>> TraceChangeOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto number = RankedTensorType::get({}, builder.getF32Type());
  auto flag = RankedTensorType::get({}, builder.getI32Type());
  SmallVector<Value> inputs = {buildTrace(builder, loc, getA()),
                               buildTrace(builder, loc, getG()), getCount(),
                               getDampingA(), getDampingG()};
  if (getScale())
    inputs.push_back(getScale());
  Value trace = buildElementwise(
      builder, loc, number, inputs,
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Value count = arith::SIToFPOp::create(b, at, b.getF32Type(), args[2]);
        std::optional<Scalar> scale;
        if (getScale())
          scale = Scalar(args[5], emitter);
        return Traces<Scalar>{{args[0], emitter}, {args[1], emitter},
                              {count, emitter},   scale,
                              {args[3], emitter}, {args[4], emitter}}
            .getTrace(*this)
            .get(emitter);
      });
  auto compare = [&](auto isWithin) {
    return buildElementwise(
        builder, loc, flag, {trace, getBefore()},
        [&](OpBuilder &b, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(b, at);
          Scalar change =
              getChange(Scalar(args[0], emitter), Scalar(args[1], emitter));
          return arith::ExtUIOp::create(b, at, b.getI32Type(),
                                        isWithin(change).value);
        });
  };
  double above = getAbove().convertToDouble(),
         below = getBelow().convertToDouble();
  Value kept = compare([&](Scalar change) { return change <= above; });
  Value settled = compare([&](Scalar change) { return change < below; });
  return SmallVector<Value>{trace, kept, settled};
}
