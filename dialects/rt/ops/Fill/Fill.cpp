#include "dialects/rt/RtDialect.h"
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

LogicalResult FillOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue value = ReferenceValue::zeros(getDestination().getType());
  InitializerAttr init = getInitializer();
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
