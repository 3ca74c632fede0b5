#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult AccumulateOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue sum = operands[0];
  if (operands[2].item() != 0.0)
    for (int64_t i = 0; i < sum.size(); ++i)
      sum.data[i] += operands[1].data[i];
  results.push_back(std::move(sum));
  return success();
}

FailureOr<SmallVector<Value>> AccumulateOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  auto add = [](OpBuilder &b, Location loc, Value a, Value c) -> Value {
    if (isa<FloatType>(a.getType()))
      return arith::AddFOp::create(b, loc, a, c);
    return arith::AddIOp::create(b, loc, a, c);
  };
  // Written over the sums: no third buffer.
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{type}, ValueRange{getPart(), getCount()},
      ValueRange{getSums()},
      ArrayRef<AffineMap>{identity, projection(builder, rank, {}), identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
        Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              args[1], none);
        Value sum = add(b, loc, args[2], args[0]);
        linalg::YieldOp::create(
            b, loc,
            ValueRange{arith::SelectOp::create(b, loc, isEmpty, args[0], sum)});
      });
  return SmallVector<Value>{generic.getResult(0)};
}
