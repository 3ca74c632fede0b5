#include "dialects/rt/Gram.h"
#include "dialects/interfaces/Approximate.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

FailureOr<GramShape>
GramShape::get(llvm::function_ref<InFlightDiagnostic()> emitError,
               ShapedType input, bool channelsLast, ArrayRef<int64_t> kernel,
               ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
               ArrayRef<int64_t> dilations, int64_t groups, int64_t blockSize) {
  if (!input.hasStaticShape() || input.getRank() != 4)
    return emitError() << "expected an input of four dimensions and static "
                          "shape, found "
                       << input;
  if (kernel.size() != 2 ||
      llvm::any_of(kernel, [](int64_t extent) { return extent < 1; }))
    return emitError() << "expected the height and the width of a kernel, "
                          "found "
                       << kernel.size() << " extents";
  if (blockSize < 1)
    return emitError() << "expected blocks of one column or more, found "
                       << blockSize;
  ArrayRef<int64_t> extents = input.getShape();
  SmallVector<int64_t> order(extents);
  if (channelsLast)
    order = {extents[0], extents[3], extents[1], extents[2]};
  // As a convolution with an output for each group.
  auto type = RankedTensorType::get(order, input.getElementType());
  auto weight = RankedTensorType::get(
      {groups, order[1] / std::max<int64_t>(groups, 1), kernel[0], kernel[1]},
      input.getElementType());
  FailureOr<SmallVector<int64_t>> output = verifyConvolution(
      emitError, type, weight, strides, padding, dilations, groups);
  if (failed(output))
    return failure();
  GramShape shape;
  shape.samples = order[0];
  shape.channels = order[1];
  shape.height = order[2];
  shape.width = order[3];
  shape.kernel = {kernel[0], kernel[1]};
  shape.geometry =
      ConvolutionGeometry::get(strides, padding, dilations, groups);
  shape.outputHeight = (*output)[2];
  shape.outputWidth = (*output)[3];
  shape.channelsLast = channelsLast;
  shape.blockSize = std::min(shape.countColumns(), blockSize);
  return shape;
}

int64_t GramShape::countFlops() const {
  int64_t rest = countColumns() % blockSize;
  int64_t pairs = countColumns() / blockSize * blockSize * (blockSize + 1) +
                  rest * (rest + 1);
  return geometry.groups * pairs * samples * getPixels();
}

/// Offset in the input of what a column of a group reads in a window; -1: it is
/// outside.
static int64_t locate(const GramShape &shape, int64_t group, int64_t column,
                      int64_t sample, int64_t row, int64_t pixel) {
  int64_t taps = shape.getTaps();
  int64_t channel =
      group * (shape.channels / shape.geometry.groups) + column / taps;
  int64_t tap = column % taps;
  int64_t y = row * shape.geometry.strides[0] - shape.geometry.padding[0] +
              tap / shape.kernel[1] * shape.geometry.dilations[0];
  int64_t x = pixel * shape.geometry.strides[1] - shape.geometry.padding[1] +
              tap % shape.kernel[1] * shape.geometry.dilations[1];
  if (y < 0 || y >= shape.height || x < 0 || x >= shape.width)
    return -1;
  if (shape.channelsLast)
    return ((sample * shape.height + y) * shape.width + x) * shape.channels +
           channel;
  return ((sample * shape.channels + channel) * shape.height + y) *
             shape.width +
         x;
}

Gram rt::evaluateGram(const GramShape &shape, const Bounded &input,
                      int64_t valid) {
  int64_t size = shape.blockSize, perGroup = shape.countBlocksOfGroup();
  Gram gram{ReferenceValue({shape.countBlocks(), size, size}), {}};
  std::vector<ApproximateSum> sums(gram.value.data.size());
  std::vector<int64_t> offsets(size);
  for (int64_t block = 0; block < shape.countBlocks(); ++block) {
    int64_t group = block / perGroup, first = block % perGroup * size;
    int64_t columns = std::min(size, shape.countColumns() - first);
    for (int64_t n = 0; n < std::min(valid, shape.samples); ++n)
      for (int64_t i = 0; i < shape.outputHeight; ++i)
        for (int64_t j = 0; j < shape.outputWidth; ++j) {
          for (int64_t a = 0; a < columns; ++a)
            offsets[a] = locate(shape, group, first + a, n, i, j);
          for (int64_t a = 0; a < columns; ++a)
            for (int64_t b = 0; b < columns && offsets[a] >= 0; ++b)
              if (offsets[b] >= 0)
                sums[(block * size + a) * size + b].addProduct(
                    input.at(offsets[a]), input.at(offsets[b]));
        }
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Approximate result = sum.get();
    gram.value.data[i] = result.value;
    gram.error.push_back(result.error);
  }
  return gram;
}
