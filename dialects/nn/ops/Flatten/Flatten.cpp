#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  if (type.getRank() < 2)
    return emitOptionalError(loc, "expected an input of rank 2 or more, found ",
                             type);
  int64_t samples = type.getDimSize(0);
  inferred.push_back(RankedTensorType::get(
      {samples, type.getNumElements() / samples}, type.getElementType()));
  return success();
}

std::vector<LayerSpec> FlattenOp::getLayerSpecs() {
  return {{"flatten", LayerSpec::Kind::Layer,
           "Makes one feature dimension of all, `[n, d1, d2, ...]` to "
           "`[n, d1 * d2 * ...]`."}};
}

FailureOr<SmallVector<Value>> FlattenOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{
      FlattenOp::create(layer.builder, layer.loc, layer.inputs[0])};
}
