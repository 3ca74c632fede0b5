#include "dialects/nn/Axes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

AxisView::AxisView(ArrayRef<int64_t> shape, int64_t axis) {
  for (auto [dim, size] : llvm::enumerate(shape))
    (static_cast<int64_t>(dim) < axis   ? outer
     : static_cast<int64_t>(dim) > axis ? inner
                                        : extent) *= size;
}

LogicalResult boostc::nn::verifyAxis(std::optional<Location> loc,
                                     RankedTensorType type, int64_t axis) {
  if (axis < 1 || axis >= type.getRank())
    return emitOptionalError(loc, "expected an axis from 1 to ",
                             type.getRank() - 1, " of ", type, ", found ",
                             axis);
  return success();
}

void boostc::nn::copyAlongAxis(const ReferenceValue &from, int64_t start,
                               ReferenceValue &to, int64_t toStart,
                               int64_t count, int64_t axis) {
  AxisView source(from.shape, axis), target(to.shape, axis);
  for (int64_t o = 0; o < source.outer; ++o)
    std::copy_n(from.data.begin() + source.offset(o, start * source.inner),
                count * source.inner,
                to.data.begin() + target.offset(o, toStart * target.inner));
}

AxisPart::AxisPart(OpBuilder &builder, ArrayRef<int64_t> shape, int64_t axis,
                   int64_t start)
    : offsets(shape.size(), builder.getIndexAttr(0)),
      sizes(getAsIndexOpFoldResult(builder.getContext(), shape)),
      strides(shape.size(), builder.getIndexAttr(1)) {
  offsets[axis] = builder.getIndexAttr(start);
}

KeySpec boostc::nn::getAxisKey(StringRef defaultValue) {
  return {"axis",
          KeyType::Integer,
          "The dimension, counted without the batch, so that 0 are an image's "
          "channels; negative from the end.",
          defaultValue,
          -8.0,
          7.0};
}

FailureOr<int64_t> boostc::nn::getAxis(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  return resolveAxis(layer, "axis", layer.getInteger("axis"), type.getRank());
}

FailureOr<int64_t> boostc::nn::resolveAxis(LayerBuilder &layer, StringRef key,
                                           int64_t axis, int64_t rank) {
  int64_t features = rank - 1;
  if (axis >= -features && axis < features)
    return axis < 0 ? rank + axis : axis + 1;
  layer.emitError(key) << "axes of its input go from " << -features << " to "
                       << features - 1 << " (the batch does not count), found "
                       << axis;
  return failure();
}

SmallVector<unsigned> boostc::nn::withoutAxes(unsigned rank,
                                              ArrayRef<int64_t> axes) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      dims.push_back(dim);
  return dims;
}
