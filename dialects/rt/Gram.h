// Gram.h - Gram matrices of the windows of inputs, what thor's factors and
// rt.gram share.
#pragma once

#include "dialects/interfaces/ErrorBound.h"
#include "dialects/rt/Convolution.h"

namespace boostc::rt {

/// A matrix whose Gram matrix is computed. Its rows are the
/// windows of all samples; column c * KH * KW + k * KW + l of group g is tap
/// (k, l) of channel g * C / groups + c. The columns of a group are cut into
/// blocks; the last block of a group may have columns that are not there, and
/// so zeros.
struct GramShape {
  int64_t samples, channels, height, width; ///< of the input
  std::array<int64_t, 2> kernel;            ///< height, width
  ConvolutionGeometry geometry;
  int64_t outputHeight, outputWidth; ///< windows of a sample
  int64_t blockSize;
  /// Whether inputs are [sample, row, column, channel]; else channels come
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
  /// A multiply-add for each pair of columns of a block in each window: the
  /// matrices are symmetric.
  int64_t countFlops() const;

  /// The shape for inputs of type `input` and blocks of `blockSize`; an error
  /// says what does not match.
  static llvm::FailureOr<GramShape>
  get(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
      mlir::ShapedType input, bool channelsLast, llvm::ArrayRef<int64_t> kernel,
      llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padding,
      llvm::ArrayRef<int64_t> dilations, int64_t groups, int64_t blockSize);
};

/// The Gram matrix of the columns of each block, [blocks, size, size], over
/// the windows of the first `valid` samples; with the errors of the sums.
struct Gram {
  ReferenceValue value;
  std::vector<double> error;
};
Gram evaluateGram(const GramShape &shape, const Bounded &input, int64_t valid);

} // namespace boostc::rt
