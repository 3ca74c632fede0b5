#include "dialects/rt/DampedInverse.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult DampedInverseOp::verify() {
  RankedTensorType type = getFactor().getType();
  if (type.getDimSize(1) != type.getDimSize(2))
    return emitOpError("expected square blocks, found ") << type;
  if (getMean() && getScale())
    return emitOpError("expected a mean without a scale");
  return verifyPositive(*this,
                        {{"rows", getRows()}, {"positions", getPositions()}});
}

int64_t DampedInverseOp::getFlops() {
  return rt::countInverseFlops(getFactor().getType());
}

/// What the factor is a sum of for each sample; nothing where it is a mean.
static std::optional<double> getRowsOfSum(DampedInverseOp op) {
  if (op.getMean())
    return std::nullopt;
  return static_cast<double>(op.getRows() * op.getPositions());
}

Value thor::buildRowWeight(OpBuilder &builder, Location loc, Value count,
                           Value scale, std::optional<double> rows) {
  SmallVector<Value> inputs = {count};
  if (scale)
    inputs.push_back(scale);
  return buildElementwise(
      builder, loc, RankedTensorType::get({}, builder.getF32Type()), inputs,
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        Value samples = arith::SIToFPOp::create(b, at, b.getF32Type(), args[0]);
        std::optional<Scalar> root;
        if (scale)
          root = Scalar(args[1], emitter);
        return getRowWeight<Scalar>({samples, emitter}, root, rows)
            .get(emitter);
      });
}

template <typename T> static T getDamping(T damping, double positions) {
  return sqrt(damping / T::constant(positions));
}

static rt::DampedInverses invert(DampedInverseOp op,
                                 ArrayRef<Bounded> operands) {
  auto positions = static_cast<double>(op.getPositions());
  auto scalar = [](Approximate number) {
    Bounded value(ReferenceValue::scalar(number.value));
    value.error[0] = number.error;
    return value;
  };
  std::optional<Approximate> scale;
  if (op.getScale())
    scale = operands[2].at(0);
  return rt::invertDamped(
      operands[0],
      scalar(getRowWeight<Approximate>(operands[1].at(0), scale,
                                       getRowsOfSum(op))),
      scalar(getDamping<Approximate>(operands.back().at(0), positions)));
}

static double countFailed(const rt::DampedInverses &inverses) {
  double failed = 0.0;
  for (double flag : inverses.failed.data)
    failed += flag;
  return failed;
}

LogicalResult
DampedInverseOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  SmallVector<Bounded> exact;
  for (const ReferenceValue &operand : operands)
    exact.emplace_back(operand);
  rt::DampedInverses inverses = invert(*this, exact);
  results.push_back(inverses.value);
  results.push_back(ReferenceValue::scalar(countFailed(inverses)));
  return success();
}

ErrorBounds DampedInverseOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return {invert(*this, operands).error};
}

FailureOr<SmallVector<Value>>
DampedInverseOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto positions = static_cast<double>(getPositions());
  auto number = RankedTensorType::get({}, builder.getF32Type());
  Value weight =
      buildRowWeight(builder, loc, getCount(), getScale(), getRowsOfSum(*this));
  Value damping = buildElementwise(
      builder, loc, number, {getDamping()},
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        return ::getDamping<Scalar>(Scalar(args[0], emitter), positions)
            .get(emitter);
      });
  RankedTensorType type = getFactor().getType();
  auto flags =
      RankedTensorType::get({type.getDimSize(0)}, builder.getI32Type());
  auto empty = [&](RankedTensorType of) -> Value {
    return tensor::EmptyOp::create(builder, loc, of.getShape(),
                                   of.getElementType());
  };
  auto inverse = rt::DampedInverseOp::create(
      builder, loc, TypeRange{type, flags}, getFactor(), weight, damping,
      empty(type), empty(flags), /*scratch=*/Value());
  Value failed = buildReduction(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()),
      builder.getI32IntegerAttr(0), 1, {}, {inverse.getResult(1)},
      {builder.getMultiDimIdentityMap(1)},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        return arith::AddIOp::create(b, at, args[0], args[1]);
      });
  return SmallVector<Value>{inverse.getResult(0), failed};
}
