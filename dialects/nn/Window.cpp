#include "dialects/nn/Window.h"
#include "dialects/interfaces/Interfaces.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

std::vector<KeySpec> boostc::nn::getWindowKeys(StringRef strideDefault) {
  constexpr double kMax = 1 << 16;
  return {
      {"kernel", KeyType::Extents, "Extents of the window.", {}, 1.0, kMax},
      {"stride", KeyType::Extents,
       strideDefault == "0"
           ? "Steps of the window; 0 = the extents of the kernel."
           : "Steps of the window.",
       strideDefault, strideDefault == "0" ? 0.0 : 1.0, kMax},
      {"padding",
       KeyType::Padding,
       "Padding around the input: a number for all sides, [vertical, "
       "horizontal] or [top, left, bottom, right]; `valid` = none; `same` = as "
       "many as make the output `ceil(input / stride)`, the odd one at the "
       "bottom and right; `same_lower` = the odd one at the top and left.",
       "\"valid\"",
       0.0,
       kMax,
       {"valid", "same", "same_lower"}}};
}

std::array<int64_t, 2> boostc::nn::getExtents(LayerBuilder &layer,
                                              StringRef key) {
  SmallVector<int64_t> values = layer.getIntegers(key);
  return {values.front(), values.back()};
}

LogicalResult boostc::nn::checkImages(LayerBuilder &layer,
                                      RankedTensorType input) {
  if (input.getRank() == 4)
    return success();
  return layer.emitError("op")
         << layer.spec.name
         << " needs an input [channels, height, width], found "
         << input.getRank() - 1 << " dimensions a sample (" << input
         << " with the batch)";
}

/// Kernel, strides and padding of a window that moves over `extents`.
static FailureOr<Window> readWindow(LayerBuilder &layer,
                                    std::array<int64_t, 2> extents,
                                    std::array<int64_t, 2> dilations) {
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
      int64_t outputs = llvm::divideCeil(extents[axis], strides[axis]);
      int64_t reach = (window.kernel[axis] - 1) * dilations[axis] + 1;
      int64_t total = std::max<int64_t>(0, (outputs - 1) * strides[axis] +
                                               reach - extents[axis]);
      bool oddFirst = name == "same_lower";
      window.geometry.padding[axis] = (total + oddFirst) / 2;
      window.geometry.padding[axis + 2] = (total + !oddFirst) / 2;
    }
    if (llvm::any_of(window.geometry.padding,
                     [](int64_t side) { return side > kMaxWindowStep; }))
      return layer.emitError("padding")
             << "'" << name << "' would pad by ["
             << ArrayRef<int64_t>(window.geometry.padding) << "]; at most "
             << kMaxWindowStep << " is possible";
  }
  return window;
}

FailureOr<Window> boostc::nn::getWindow(LayerBuilder &layer,
                                        RankedTensorType input,
                                        std::array<int64_t, 2> dilations) {
  if (failed(checkImages(layer, input)))
    return failure();
  FailureOr<Window> window =
      readWindow(layer, {input.getDimSize(2), input.getDimSize(3)}, dilations);
  if (failed(window))
    return failure();
  for (unsigned axis : {0, 1}) {
    window->output[axis] = window->geometry.getOutputExtent(
        axis, input.getDimSize(2 + axis), window->kernel[axis]);
    if (window->output[axis] < 1)
      return layer.emitError("kernel")
             << "a " << window->kernel[0] << "x" << window->kernel[1]
             << " window does not fit into an input of " << input.getDimSize(2)
             << "x" << input.getDimSize(3) << " padded by ["
             << ArrayRef<int64_t>(window->geometry.padding) << "]";
  }
  return window;
}

FailureOr<Window>
boostc::nn::getTransposedWindow(LayerBuilder &layer, RankedTensorType input,
                                std::array<int64_t, 2> dilations) {
  if (failed(checkImages(layer, input)))
    return failure();
  std::array<int64_t, 2> strides = getExtents(layer, "stride");
  std::array<int64_t, 2> more = getExtents(layer, "output_padding");
  bool isSame = layer.getChoice("padding").starts_with("same");
  std::array<int64_t, 2> whole;
  for (unsigned axis : {0, 1}) {
    whole[axis] = input.getDimSize(2 + axis) * strides[axis];
    // As many of the convolution's windows as the input has pixels.
    if (more[axis] >= strides[axis] || (isSame && more[axis] > 0))
      return layer.emitError("output_padding")
             << "expected "
             << (isSame ? "0 with padding that says the output's"
                        : "numbers below the stride's")
             << " extents, found [" << ArrayRef<int64_t>(more) << "]";
  }
  FailureOr<Window> window = readWindow(layer, whole, dilations);
  if (failed(window))
    return failure();
  ArrayRef<int64_t> padding = window->geometry.padding;
  for (unsigned axis : {0, 1}) {
    int64_t reach = (window->kernel[axis] - 1) * dilations[axis] + 1;
    int64_t pixels = whole[axis] - strides[axis] + reach + more[axis];
    window->output[axis] =
        isSame ? whole[axis] : pixels - padding[axis] - padding[axis + 2];
    if (window->output[axis] < 1)
      return layer.emitError("padding")
             << "cutting [" << padding << "] off an output of " << pixels
             << (axis == 0 ? " rows" : " columns") << " leaves nothing";
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
