// Gram.h - Gram matrices of the windows of images, what thor's factors and
// rt.gram share.
#pragma once

#include "dialects/interfaces/ErrorBound.h"
#include "dialects/rt/Convolution.h"

namespace boostc::rt {

/// The matrix whose columns are multiplied with each other. Its rows are the
/// windows of all samples; column c * KH * KW + k * KW + l of group g is tap
/// (k, l) of channel g * C / groups + c. The columns of a group are cut into
/// blocks; the last block of a group may have columns that are not there, and
/// so zeros.
struct GramShape {
  int64_t samples, channels, height, width; ///< of the images
  std::array<int64_t, 2> kernel;            ///< height, width
  ConvolutionGeometry geometry;
  int64_t outputHeight, outputWidth; ///< windows of a sample
  int64_t blockSize;
  /// Whether images are [sample, row, column, channel]; else channels come
  /// second.
  bool channelsLast;

  int64_t getPixels() const { return outputHeight * outputWidth; }
  int64_t getTaps() const { return kernel[0] * kernel[1]; }
  /// Columns of a group.
  int64_t countColumns() const {
    return channels / geometry.groups * getTaps();
  }
  int64_t countBlocksOfGroup() const {
    return (countColumns() + blockSize - 1) / blockSize;
  }
  int64_t countBlocks() const { return geometry.groups * countBlocksOfGroup(); }
  /// A multiply-add for each product of two columns of a block, of which the
  /// matrices, which are symmetric, have one for both orders.
  int64_t countFlops() const;

  /// The shape for images of `input` and blocks of `blockSize`; an error says
  /// what does not fit.
  static llvm::FailureOr<GramShape>
  get(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
      mlir::ShapedType input, bool channelsLast, llvm::ArrayRef<int64_t> kernel,
      llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padding,
      llvm::ArrayRef<int64_t> dilations, int64_t groups, int64_t blockSize);
};

/// Columns of the blocks that `columns` columns are cut into: no more than
/// there are.
int64_t getBlockSize(int64_t columns, int64_t blockSize);

/// The products of the columns of each block, [blocks, size, size], summed over
/// the windows of the first `valid` samples; with the errors of the sums.
struct Gram {
  ReferenceValue value;
  std::vector<double> error;
};
Gram evaluateGram(const GramShape &shape, const Bounded &images, int64_t valid);

} // namespace boostc::rt
