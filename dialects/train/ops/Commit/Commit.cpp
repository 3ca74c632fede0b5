#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/FiniteProbe.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

void CommitOp::getAsmResultNames(
    llvm::function_ref<void(Value, StringRef)> setName) {
  setName(getApplied(), "applied");
  setName(getFailed(), "failed");
}

LogicalResult CommitOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  auto isZero = [](const ReferenceValue &value) { return value.item() == 0.0; };
  double count = operands[0].item();
  bool hasWeight = true;
  if (getWeight()) {
    hasWeight = operands[1].item() > 0.0;
    operands = operands.drop_front();
  }
  double after = operands[1].item();
  operands = operands.drop_front(2);
  bool agree = true;
  if (getNonfiniteRanks()) {
    agree = isZero(operands.front());
    operands = operands.drop_front();
  }
  bool isFinite = llvm::all_of(operands, [](const ReferenceValue &value) {
    return llvm::all_of(value.data, [](double x) { return std::isfinite(x); });
  });
  bool isGood = count > 0.0 && after == 0.0 && agree && isFinite;
  bool hasFailed =
      getOnNonfinite() == FailurePolicy::Fail ? !isGood : after != 0.0;
  results.push_back(ReferenceValue::scalar(isGood && hasWeight));
  results.push_back(ReferenceValue::scalar(hasFailed));
  return success();
}

ErrorBounds CommitOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                  ArrayRef<ReferenceValue>) {
  return {}; // integers
}

FailureOr<SmallVector<Value>> CommitOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  Type flag = getAfter().getType();
  bool fails = getOnNonfinite() == FailurePolicy::Fail;
  SmallVector<Value> inputs = {getCount()};
  if (getWeight())
    inputs.push_back(getWeight());
  if (getNonfiniteRanks())
    inputs.push_back(getNonfiniteRanks());
  if (!getValues().empty())
    inputs.push_back(buildProbeSum(builder, loc, getValues()));
  SmallVector<Value> outputs = {tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{}, builder.getI32Type())};
  // `failed` is written over the one of the step before.
  if (fails)
    outputs.push_back(getAfter());
  else
    inputs.push_back(getAfter());
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                              builder.getMultiDimIdentityMap(0));
  auto generic = linalg::GenericOp::create(
      builder, loc, SmallVector<Type>(outputs.size(), flag), inputs, outputs,
      maps, ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        Value none = arith::ConstantOp::create(b, at, b.getI64IntegerAttr(0));
        Value no = arith::ConstantOp::create(b, at, b.getI32IntegerAttr(0));
        Value yes = arith::ConstantOp::create(b, at, b.getI32IntegerAttr(1));
        auto isZero = [&](Value x, Value zero) -> Value {
          return arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, x,
                                       zero);
        };
        Value all = arith::CmpIOp::create(b, at, arith::CmpIPredicate::sgt,
                                          args[0], none);
        auto require = [&](Value condition) {
          all = arith::AndIOp::create(b, at, all, condition);
        };
        size_t next = getWeight() ? 2 : 1;
        if (getNonfiniteRanks())
          require(isZero(args[next++], none));
        if (!getValues().empty())
          require(arith::CmpFOp::create(b, at, arith::CmpFPredicate::OEQ,
                                        args[next++],
                                        buildConstant(b, at, 0.0)));
        require(isZero(fails ? args.back() : args[next], no));
        auto extend = [&](Value condition) -> Value {
          return arith::ExtUIOp::create(b, at, b.getI32Type(), condition);
        };
        Value good = extend(all), applied = good;
        if (getWeight()) {
          // A sum of numbers of 0 or more: no weight is +0.
          require(arith::CmpFOp::create(b, at, arith::CmpFPredicate::OGT,
                                        args[1], buildConstant(b, at, 0.0)));
          applied = extend(all);
        }
        SmallVector<Value> flags = {applied};
        if (fails)
          flags.push_back(arith::SubIOp::create(b, at, yes, good));
        linalg::YieldOp::create(b, at, flags);
      });
  return SmallVector<Value>{generic.getResult(0),
                            fails ? generic.getResult(1) : Value(getAfter())};
}
