#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult CombineOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue sum = operands[0];
  for (int64_t i = 0; i < sum.size(); ++i)
    sum.data[i] += operands[1].data[i];
  results.push_back(std::move(sum));
  return success();
}

FailureOr<SmallVector<Value>> CombineOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  // The sum is written over the first operand: no third buffer.
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{type}, ValueRange{getRhs()},
      ValueRange{getLhs()}, ArrayRef<AffineMap>{identity, identity},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        if (isa<FloatType>(args[0].getType()))
          sum = arith::AddFOp::create(b, loc, args[1], args[0]);
        else
          sum = arith::AddIOp::create(b, loc, args[1], args[0]);
        linalg::YieldOp::create(b, loc, sum);
      });
  return SmallVector<Value>{generic.getResult(0)};
}
