#include "dialects/rt/InitialValues.h"
#include "runtime/abi/boost_random.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

void FillOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<RankedTensorType>(getDestination().getType()))
    return; // a value: no effects
  effects.emplace_back(MemoryEffects::Read::get(), &getSeedMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}

ReferenceValue rt::drawInitialValues(Type type, InitializerAttr initializer,
                                     StringRef name, uint64_t seed) {
  ReferenceValue value = ReferenceValue::zeros(type);
  uint64_t stream = boost_random_stream(name.str().c_str());
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] = static_cast<float>(boost_initial_value(
        static_cast<uint32_t>(initializer.getKind()),
        initializer.getA().getValueAsDouble(),
        initializer.getB().getValueAsDouble(), seed, stream, i));
  return value;
}

LogicalResult FillOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(
      drawInitialValues(getDestination().getType(), getInitializer(), getName(),
                        static_cast<uint64_t>(operands[0].item())));
  return success();
}
