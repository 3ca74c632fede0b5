#include "dialects/rt/InitialValues.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult InitializeOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(
      rt::drawInitialValues(getType(), getInitializer(), getName(),
                            static_cast<uint64_t>(operands[0].item())));
  return success();
}

FailureOr<SmallVector<Value>>
InitializeOp::buildLibraryCall(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  Value empty = tensor::EmptyOp::create(builder, getLoc(), type.getShape(),
                                        type.getElementType());
  auto fill = rt::FillOp::create(builder, getLoc(), TypeRange{type}, getName(),
                                 getInitializer(), getSeed(), empty);
  return SmallVector<Value>{fill.getResult(0)};
}
