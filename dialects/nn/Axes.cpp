#include "dialects/nn/Axes.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

AxisView::AxisView(ArrayRef<int64_t> shape, int64_t axis) {
  for (auto [dim, size] : llvm::enumerate(shape))
    (static_cast<int64_t>(dim) < axis   ? outer
     : static_cast<int64_t>(dim) > axis ? inner
                                        : extent) *= size;
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
