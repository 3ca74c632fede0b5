#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "runtime/abi/boost_random.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult InitializeOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue value = ReferenceValue::zeros(getType());
  rt::InitializerAttr init = getInitializer();
  uint64_t seed = static_cast<uint64_t>(operands[0].item());
  uint64_t stream = boost_random_stream(getName().str().c_str());
  for (int64_t i = 0; i < value.size(); ++i)
    // Rounded as the runtime rounds: the first weights are f32 numbers.
    value.data[i] = static_cast<float>(boost_initial_value(
        static_cast<uint32_t>(init.getKind()), init.getA().getValueAsDouble(),
        init.getB().getValueAsDouble(), seed, stream, i));
  results.push_back(std::move(value));
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
