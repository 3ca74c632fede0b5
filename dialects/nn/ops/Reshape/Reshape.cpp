#include "dialects/nn/NnDialect.h"
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult ReshapeOp::verify() {
  auto from = getInput().getType();
  auto to = cast<RankedTensorType>(getType());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("expected as many elements as the input has, ")
           << from.getNumElements() << " in " << from << ", found "
           << to.getNumElements() << " in " << to;
  if (from.getRank() < 1 || to.getRank() < 1 ||
      from.getDimSize(0) != to.getDimSize(0))
    return emitOpError("expected dimension 0, the batch, to stay, found ")
           << from << " to " << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

std::vector<LayerSpec> ReshapeOp::getLayerSpecs() {
  LayerSpec spec{
      "reshape", LayerSpec::Kind::Layer,
      "The same elements under another shape, row-major; the batch stays."};
  spec.keys = {{"shape",
                KeyType::IntegerList,
                "The new shape without the batch; its product is the number of "
                "features.",
                {},
                1.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> ReshapeOp::buildLayer(LayerBuilder &layer) {
  auto from = cast<RankedTensorType>(layer.inputs[0].getType());
  SmallVector<int64_t> shape = {from.getDimSize(0)};
  int64_t features = from.getNumElements() / from.getDimSize(0), wanted = 1;
  for (int64_t extent : layer.getIntegers("shape")) {
    shape.push_back(extent);
    // Saturate: a product that overflows is wrong whatever its value.
    if (__builtin_mul_overflow(wanted, extent, &wanted)) {
      wanted = std::numeric_limits<int64_t>::max();
      break;
    }
  }
  if (wanted != features)
    return layer.emitError("shape")
           << "reshape needs " << features
           << " elements a sample, the number its input " << from
           << " has, found " << wanted;
  auto to = RankedTensorType::get(shape, from.getElementType());
  return SmallVector<Value>{
      ReshapeOp::create(layer.builder, layer.loc, to, layer.inputs[0])};
}
