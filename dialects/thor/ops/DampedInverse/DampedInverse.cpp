#include "dialects/rt/DampedInverse.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/thor/ops/DampedInverse/RowWeight.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

/// That of a block that is not inverted.
static constexpr double kNoWeight = std::numeric_limits<double>::infinity();

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

namespace {

/// The operands of an op, by name.
struct Operands {
  Operands(DampedInverseOp op, ArrayRef<Bounded> operands) {
    auto find = [&](Value value) -> const Bounded * {
      for (auto [operand, found] : llvm::zip(op->getOperands(), operands))
        if (value && operand == value)
          return &found;
      return nullptr;
    };
    factor = find(op.getFactor());
    count = find(op.getCount());
    scale = find(op.getScale());
    damping = find(op.getDamping());
    flags = find(op.getFlags());
  }

  bool isInverted(int64_t block) const {
    return !flags || flags->value.data[block] != 0.0;
  }

  const Bounded *factor, *count, *damping;
  const Bounded *scale, *flags; ///< or null
};

} // namespace

static rt::DampedInverses invert(DampedInverseOp op, const Operands &operands) {
  auto positions = static_cast<double>(op.getPositions());
  std::optional<Approximate> scale;
  if (operands.scale)
    scale = operands.scale->at(0);
  auto weight =
      getRowWeight<Approximate>(operands.count->at(0), scale, getRowsOfSum(op));
  auto damping = getDamping<Approximate>(operands.damping->at(0), positions);
  int64_t blocks = operands.factor->value.dim(0);
  Bounded weights(ReferenceValue({blocks})),
      added(ReferenceValue::scalar(damping.value));
  added.error[0] = damping.error;
  for (int64_t block = 0; block < blocks; ++block) {
    bool isInverted = operands.isInverted(block);
    weights.value.data[block] = isInverted ? weight.value : kNoWeight;
    weights.error[block] = isInverted ? weight.error : 0.0;
  }
  return rt::invertDamped(*operands.factor, weights, added);
}

static double countFailed(const Operands &operands,
                          const rt::DampedInverses &inverses) {
  double failed = 0.0;
  for (auto [block, flag] : llvm::enumerate(inverses.failed.data))
    if (operands.isInverted(static_cast<int64_t>(block)))
      failed += flag;
  return failed;
}

LogicalResult
DampedInverseOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  SmallVector<Bounded> exact;
  for (const ReferenceValue &operand : operands)
    exact.emplace_back(operand);
  Operands named(*this, exact);
  rt::DampedInverses inverses = invert(*this, named);
  results.push_back(inverses.value);
  results.push_back(ReferenceValue::scalar(countFailed(named, inverses)));
  return success();
}

ErrorBounds DampedInverseOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  return {invert(*this, Operands(*this, operands)).error};
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
