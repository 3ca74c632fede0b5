#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult CombineOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue sum = operands[1];
  if (!getCount() || operands[2].item() != 0.0)
    for (int64_t i = 0; i < sum.size(); ++i)
      sum.data[i] += operands[0].data[i];
  results.push_back(std::move(sum));
  return success();
}

ErrorBounds CombineOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue>) {
  if (getCount() && operands[2].value.item() == 0.0)
    return {operands[1].error};
  std::vector<ApproximateSum> sums(operands[0].value.size());
  for (int64_t i = 0; i < operands[0].value.size(); ++i)
    for (const Bounded &term : operands.take_front(2))
      sums[i].add(term.at(i));
  return getErrors(sums);
}

FailureOr<SmallVector<Value>> CombineOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs = {getRhs()};
  SmallVector<AffineMap> maps = {identity};
  if (getCount()) {
    inputs.push_back(getCount());
    maps.push_back(projection(builder, type.getRank(), {}));
  }
  maps.push_back(identity);
  // The sum is written over the first operand: no third buffer.
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{type}, inputs, ValueRange{getLhs()}, maps,
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        if (isa<FloatType>(args[0].getType()))
          sum = arith::AddFOp::create(b, loc, args.back(), args[0]);
        else
          sum = arith::AddIOp::create(b, loc, args.back(), args[0]);
        if (getCount()) {
          Value none =
              arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
          Value isEmpty = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, args[1], none);
          sum = arith::SelectOp::create(b, loc, isEmpty, args[0], sum);
        }
        linalg::YieldOp::create(b, loc, sum);
      });
  return SmallVector<Value>{generic.getResult(0)};
}
