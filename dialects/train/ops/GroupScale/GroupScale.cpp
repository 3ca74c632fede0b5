// The state of loss scale groups: how a scale follows overflows, and its
// report.

#include "dialects/interfaces/OperandTypes.h"
#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static constexpr double kLower = 0.70710678118654752; ///< 2^(-1/2)
static constexpr double kHigher = 1.0006933874625807; ///< 2^(1/1000)

//===----------------------------------------------------------------------===//
// train.adjust_group_scale
//===----------------------------------------------------------------------===//

void AdjustGroupScaleOp::getAsmResultNames(
    llvm::function_ref<void(Value, StringRef)> setName) {
  setName(getNewScale(), "scale");
  setName(getNewOverflows(), "overflows");
}

LogicalResult
AdjustGroupScaleOp::evaluate(ReferenceContext &,
                             ArrayRef<ReferenceValue> operands,
                             SmallVectorImpl<ReferenceValue> &results) {
  double scale = operands[0].item(), overflows = operands[1].item();
  if (operands[2].item() > 0.0) {
    bool isOverflow = operands[3].item() != 0.0;
    scale = std::clamp(scale * (isOverflow ? kLower : kHigher), kMinGroupScale,
                       kMaxGroupScale);
    overflows += isOverflow;
  }
  results.append(
      {ReferenceValue::scalar(scale), ReferenceValue::scalar(overflows)});
  return success();
}

ErrorBounds AdjustGroupScaleOp::boundErrors(ReferenceContext &,
                                            ArrayRef<Bounded> operands,
                                            ArrayRef<ReferenceValue>) {
  Approximate scale = operands[0].at(0);
  if (operands[2].value.item() > 0.0) {
    bool isOverflow = operands[3].value.item() != 0.0;
    scale =
        min(max(scale * Approximate::constant(isOverflow ? kLower : kHigher),
                kMinGroupScale),
            kMaxGroupScale);
  }
  return {{scale.error}};
}

FailureOr<SmallVector<Value>>
AdjustGroupScaleOp::lowerToLinalg(OpBuilder &builder) {
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), getResultTypes(),
      ValueRange{getSamples(), getNonfinite()},
      ValueRange{getScale(), getOverflows()},
      SmallVector<AffineMap>(4, builder.getMultiDimIdentityMap(0)),
      ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        Value scale = args[2], overflows = args[3];
        auto integer = [&](int64_t value) -> Value {
          return arith::ConstantOp::create(b, at, b.getI64IntegerAttr(value));
        };
        auto choose = [&](Value condition, Value yes, Value no) -> Value {
          return arith::SelectOp::create(b, at, condition, yes, no);
        };
        Value isOverflow = arith::CmpIOp::create(
            b, at, arith::CmpIPredicate::ne, args[1], integer(0));
        Value hasSamples = buildHasSamples(b, at, args[0]);
        Value factor = choose(isOverflow, buildRoundedConstant(b, at, kLower),
                              buildRoundedConstant(b, at, kHigher));
        Value next = arith::MulFOp::create(b, at, scale, factor);
        next = arith::MaximumFOp::create(b, at, next,
                                         buildConstant(b, at, kMinGroupScale));
        next = arith::MinimumFOp::create(b, at, next,
                                         buildConstant(b, at, kMaxGroupScale));
        Value count = arith::AddIOp::create(
            b, at, overflows,
            arith::ExtUIOp::create(b, at, b.getI64Type(), isOverflow));
        linalg::YieldOp::create(
            b, at,
            ValueRange{choose(hasSamples, next, scale),
                       choose(hasSamples, count, overflows)});
      });
  return SmallVector<Value>(generic.getResults());
}

//===----------------------------------------------------------------------===//
// train.stack
//===----------------------------------------------------------------------===//

LogicalResult StackOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto count = static_cast<int64_t>(adaptor.getValues().size());
  if (count < 1 || count > kMaxLossScaleGroups)
    return emitOptionalError(loc, "expected 1 to ", kMaxLossScaleGroups,
                             " operands, found ", count);
  RankedTensorType type = getTensorType(loc, adaptor.getValues().front());
  if (!type)
    return failure();
  inferred.push_back(RankedTensorType::get({count}, type.getElementType()));
  return success();
}

LogicalResult StackOp::evaluate(ReferenceContext &,
                                ArrayRef<ReferenceValue> operands,
                                SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue vector({static_cast<int64_t>(operands.size())});
  for (auto [element, operand] : llvm::zip(vector.data, operands))
    element = operand.item();
  results.push_back(std::move(vector));
  return success();
}

ErrorBounds StackOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                 ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  for (const Bounded &operand : operands)
    errors.push_back(operand.error.front());
  return {errors};
}

FailureOr<SmallVector<Value>> StackOp::lowerToLinalg(OpBuilder &builder) {
  SmallVector<AffineMap> maps(getValues().size(), projection(builder, 1, {}));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), cast<RankedTensorType>(getType()), getValues(), maps,
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        args = args.drop_back(); // of what is written over
        Value index = linalg::IndexOp::create(b, at, 0);
        Value element = args.back();
        for (size_t i = args.size() - 1; i-- > 0;) {
          Value number = arith::ConstantIndexOp::create(b, at, i);
          Value isIt = arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq,
                                             index, number);
          element = arith::SelectOp::create(b, at, isIt, args[i], element);
        }
        return element;
      })};
}
