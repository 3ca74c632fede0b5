// Window.h - the keys of layers that move a window over an input.
#pragma once

#include "dialects/interfaces/LayerSpec.h"
#include "dialects/rt/Convolution.h"

namespace boostc::nn {

/// "kernel" and "padding", with the defaults of a convolution or a pooling.
/// Dilation and groups are the convolution's own.
std::vector<KeySpec> getWindowKeys(llvm::StringRef strideDefault);

/// The window of a layer whose input is `input`, or failure with a diagnostic.
struct Window {
  std::array<int64_t, 2> kernel;
  ConvolutionGeometry geometry;  ///< groups 1
  std::array<int64_t, 2> output; ///< extents
};
llvm::FailureOr<Window> getWindow(LayerBuilder &layer,
                                  mlir::RankedTensorType input,
                                  std::array<int64_t, 2> dilations);

/// The window of a pooling layer: no dilation, padding below the kernel.
llvm::FailureOr<Window> getPoolingWindow(LayerBuilder &layer,
                                         mlir::RankedTensorType input);

/// The same of a transposed convolution: the window of the convolution from its
/// output to its input, and the output's extents. Reads "output_padding", too.
llvm::FailureOr<Window> getTransposedWindow(LayerBuilder &layer,
                                            mlir::RankedTensorType input,
                                            std::array<int64_t, 2> dilations);

/// Whether the input of a layer is one of images; else a diagnostic.
llvm::LogicalResult checkImages(LayerBuilder &layer,
                                mlir::RankedTensorType input);

/// One integer for both axes or one for each.
std::array<int64_t, 2> getExtents(LayerBuilder &layer, llvm::StringRef key);

} // namespace boostc::nn
