// What is between a rule and the commit where ranks combine deltas.

#include "dialects/train/FiniteProbe.h"
#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.not_finite
//===----------------------------------------------------------------------===//

LogicalResult NotFiniteOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  bool isFinite = llvm::all_of(operands, [](const ReferenceValue &value) {
    return llvm::all_of(value.data, [](double x) { return std::isfinite(x); });
  });
  results.push_back(ReferenceValue::scalar(isFinite ? 0.0 : 1.0));
  return success();
}

ErrorBounds NotFiniteOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                     ArrayRef<ReferenceValue>) {
  return {}; // integers
}

FailureOr<SmallVector<Value>> NotFiniteOp::lowerToLinalg(OpBuilder &builder) {
  Value total = buildProbeSum(builder, getLoc(), getValues());
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), RankedTensorType::get({}, builder.getI64Type()), total,
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value differs =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, args[0],
                                  buildConstant(b, loc, 0.0));
        return arith::ExtUIOp::create(b, loc, b.getI64Type(), differs);
      })};
}

//===----------------------------------------------------------------------===//
// train.apply_delta
//===----------------------------------------------------------------------===//

LogicalResult ApplyDeltaOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[1];
  if (operands[2].item() != 0.0)
    for (int64_t i = 0; i < result.size(); ++i)
      result.data[i] += operands[0].data[i];
  results.push_back(std::move(result));
  return success();
}

ErrorBounds ApplyDeltaOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  return boundElements(operands.take_front(2), 1,
                       [](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[1] + x[0];
                       });
}

FailureOr<SmallVector<Value>> ApplyDeltaOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{type}, ValueRange{getChange(), getApplied()},
      ValueRange{getCurrent()},
      ArrayRef<AffineMap>{identity, projection(builder, rank, {}), identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value isApplied = buildIsSet(b, loc, args[1]);
        Value sum = arith::AddFOp::create(b, loc, args[2], args[0]);
        Value chosen = arith::SelectOp::create(b, loc, isApplied, sum, args[2]);
        linalg::YieldOp::create(b, loc, chosen);
      });
  return SmallVector<Value>{generic.getResult(0)};
}
