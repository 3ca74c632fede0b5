#include "dialects/nn/Window.h"
#include "dialects/interfaces/Interfaces.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

std::vector<KeySpec> boostc::nn::getWindowKeys(StringRef strideDefault) {
  constexpr double kMost = 1 << 16;
  return {
      {"kernel", KeyType::Extents, "Extents of the window.", {}, 1.0, kMost},
      {"stride", KeyType::Extents,
       strideDefault == "0"
           ? "Steps of the window; 0 = the extents of the kernel."
           : "Steps of the window.",
       strideDefault, strideDefault == "0" ? 0.0 : 1.0, kMost},
      {"padding",
       KeyType::Padding,
       "Padding around the input: a number for all sides, [vertical, "
       "horizontal] or [top, left, bottom, right]; `valid` = none; `same` = as "
       "many as make the output `ceil(input / stride)`, the odd one at the "
       "bottom and right; `same_lower` = the odd one at the top and left.",
       "\"valid\"",
       0.0,
       kMost,
       {"valid", "same", "same_lower"}}};
}

std::array<int64_t, 2> boostc::nn::getExtents(LayerBuilder &layer,
                                              StringRef key) {
  SmallVector<int64_t> values = layer.getIntegers(key);
  return {values.front(), values.back()};
}

FailureOr<Window> boostc::nn::getWindow(LayerBuilder &layer,
                                        RankedTensorType input,
                                        std::array<int64_t, 2> dilations) {
  if (input.getRank() != 4)
    return layer.emitError("op")
           << layer.spec.name
           << " needs an input [channels, height, width], found "
           << input.getRank() - 1 << " dimensions a sample (" << input
           << " with the batch)";
  Window window;
  window.kernel = getExtents(layer, "kernel");
  std::array<int64_t, 2> strides = getExtents(layer, "stride");
  for (unsigned axis : {0, 1})
    if (strides[axis] == 0)
      strides[axis] = window.kernel[axis];
  window.geometry = {strides, {0, 0, 0, 0}, dilations, 1};

  StringRef name = layer.getChoice("padding");
  if (name.empty()) {
    SmallVector<int64_t> given = layer.getIntegers("padding");
    if (given.size() == 3)
      return layer.emitError("padding")
             << "expected a number, [vertical, horizontal] or [top, left, "
                "bottom, right], found 3 numbers";
    for (unsigned side = 0; side < 4; ++side)
      window.geometry.padding[side] = given[side % given.size()];
  } else if (name != "valid") {
    for (unsigned axis : {0, 1}) {
      int64_t extent = input.getDimSize(2 + axis);
      int64_t outputs = llvm::divideCeil(extent, strides[axis]);
      int64_t reach = (window.kernel[axis] - 1) * dilations[axis] + 1;
      int64_t total =
          std::max<int64_t>(0, (outputs - 1) * strides[axis] + reach - extent);
      bool oddFirst = name == "same_lower";
      window.geometry.padding[axis] = (total + oddFirst) / 2;
      window.geometry.padding[axis + 2] = (total + !oddFirst) / 2;
    }
  }
  for (unsigned axis : {0, 1}) {
    window.output[axis] = window.geometry.getOutputExtent(
        axis, input.getDimSize(2 + axis), window.kernel[axis]);
    if (window.output[axis] < 1)
      return layer.emitError("kernel")
             << "a " << window.kernel[0] << "x" << window.kernel[1]
             << " window does not fit into an input of " << input.getDimSize(2)
             << "x" << input.getDimSize(3) << " padded by ["
             << ArrayRef<int64_t>(window.geometry.padding) << "]";
  }
  return window;
}

FailureOr<Window> boostc::nn::getPoolingWindow(LayerBuilder &layer,
                                               RankedTensorType input) {
  FailureOr<Window> window = getWindow(layer, input, {1, 1});
  if (failed(window))
    return failure();
  const ConvolutionGeometry &geometry = window->geometry;
  for (unsigned side = 0; side < 4; ++side)
    if (geometry.padding[side] >= window->kernel[side % 2])
      return layer.emitError("padding")
             << "a pooling window of " << window->kernel[0] << "x"
             << window->kernel[1]
             << " needs padding below its own extents, found ["
             << ArrayRef<int64_t>(geometry.padding) << "]";
  return window;
}
