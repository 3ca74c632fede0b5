#include "dialects/rt/DampedInverse.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/NamedOperands.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

/// That of a block that is not inverted.
static constexpr double kNoWeight = std::numeric_limits<double>::infinity();

LogicalResult DampedInverseOp::verify() {
  if (failed(verifySquare(*this, getFactor())))
    return failure();
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

using Operands = NamedOperands<DampedInverseOp>;

static bool isInverted(Operands &operands, size_t block) {
  const Bounded *flags = operands.getFlags();
  return !flags || flags->value.data[block] != 0.0;
}

static rt::DampedInverses invert(DampedInverseOp op, Operands &operands) {
  auto positions = static_cast<double>(op.getPositions());
  std::optional<Approximate> scale;
  if (operands.getScale())
    scale = operands.getScale()->at(0);
  auto weight = getRowWeight<Approximate>(operands.getCount()->at(0), scale,
                                          getRowsOfSum(op));
  auto damping =
      getAddedDamping<Approximate>(operands.getDamping()->at(0), positions);
  Bounded added(ReferenceValue::scalar(damping.value));
  added.error[0] = damping.error;
  Bounded weights(
      ReferenceValue({operands.getFactor()->value.dim(0)}, kNoWeight));
  for (size_t block = 0; block < weights.error.size(); ++block)
    if (isInverted(operands, block)) {
      weights.value.data[block] = weight.value;
      weights.error[block] = weight.error;
    }
  return rt::invertDamped(*operands.getFactor(), weights, added);
}

static double countFailed(Operands &operands,
                          const rt::DampedInverses &inverses) {
  double failed = 0.0;
  for (auto [block, flag] : llvm::enumerate(inverses.failed.data))
    if (isInverted(operands, block))
      failed += flag;
  return failed;
}

LogicalResult
DampedInverseOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  withNames(*this, operands, [&](Operands &named) {
    rt::DampedInverses inverses = invert(*this, named);
    results.push_back(inverses.value);
    results.push_back(ReferenceValue::scalar(countFailed(named, inverses)));
  });
  return success();
}

ErrorBounds DampedInverseOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return withNames(*this, operands, [&](Operands &named) -> ErrorBounds {
    return {invert(*this, named).error};
  });
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
        return getAddedDamping<Scalar>(Scalar(args[0], emitter), positions)
            .get(emitter);
      });
  RankedTensorType type = getFactor().getType();
  int64_t blocks = type.getDimSize(0);
  auto weights = RankedTensorType::get({blocks}, builder.getF32Type());
  auto flags = RankedTensorType::get({blocks}, builder.getI32Type());
  AffineMap same = builder.getMultiDimIdentityMap(1);
  AffineMap scalar = projection(builder, 1, {});
  // What elementwise code reads: a value of its own, and whether the block is
  // inverted.
  SmallVector<Value> inputs = {weight};
  SmallVector<AffineMap> maps = {scalar};
  bool isDivided = static_cast<bool>(getFlags());
  if (isDivided) {
    inputs.push_back(getFlags());
    maps.push_back(same);
  }
  auto chooseInverted = [&](OpBuilder &b, Location at, ValueRange args,
                            Value other) -> Value {
    if (!isDivided)
      return args[0];
    Value zero = arith::ConstantOp::create(b, at, b.getI64IntegerAttr(0));
    Value isInverted =
        arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne, args[1], zero);
    return arith::SelectOp::create(b, at, isInverted, args[0], other);
  };
  weight = buildElementwise(
      builder, loc, weights, inputs, maps,
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        return chooseInverted(b, at, args, buildConstant(b, at, kNoWeight));
      });
  auto empty = [&](RankedTensorType of) -> Value {
    return tensor::EmptyOp::create(builder, loc, of.getShape(),
                                   of.getElementType());
  };
  auto inverse = rt::DampedInverseOp::create(
      builder, loc, TypeRange{type, flags}, getFactor(), weight, damping,
      empty(type), empty(flags), /*scratch=*/Value());
  inputs[0] = inverse.getResult(1);
  maps[0] = same;
  Value failed = buildReduction(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()),
      builder.getI32IntegerAttr(0), 1, {}, inputs, maps,
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        Value none = arith::ConstantOp::create(b, at, b.getI32IntegerAttr(0));
        Value own = chooseInverted(b, at, args, none);
        return arith::AddIOp::create(b, at, own, args.back());
      });
  return SmallVector<Value>{inverse.getResult(0), failed};
}
