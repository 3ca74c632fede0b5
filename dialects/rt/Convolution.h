// Convolution.h - what a two-dimensional convolution, its two backward forms
// and their library calls have in common.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include <array>
#include <optional>

namespace boostc {

/// How a window moves over an input. Output pixel (i, j) sees, at its tap
/// (k, l), input pixel (i * strides[0] + k * dilations[0] - padding[0],
/// j * strides[1] + l * dilations[1] - padding[1]); outside the input it sees
/// zero.
struct ConvolutionGeometry {
  std::array<int64_t, 2> strides;   ///< vertical, horizontal
  std::array<int64_t, 4> padding;   ///< top, left, bottom, right
  std::array<int64_t, 2> dilations; ///< vertical, horizontal
  int64_t groups;

  static ConvolutionGeometry get(llvm::ArrayRef<int64_t> strides,
                                 llvm::ArrayRef<int64_t> padding,
                                 llvm::ArrayRef<int64_t> dilations,
                                 int64_t groups);

  /// Extent of the output along `axis` (0 vertical, 1 horizontal) for an input
  /// of `input` and a kernel of `kernel` pixels; below 1 when nothing fits.
  int64_t getOutputExtent(unsigned axis, int64_t input, int64_t kernel) const;
};

/// The most that strides, padding, dilations and pooling kernels may be: every
/// product of extents and steps stays within 64 bits.
inline constexpr int64_t kMaxWindowStep = 1 << 20;

/// Checks attributes and shapes of `y[N, O, OH, OW] = x[N, C, H, W] * w[O, C /
/// groups, KH, KW]`; `emitError` begins the diagnostic. Returns y's shape.
llvm::FailureOr<llvm::SmallVector<int64_t>>
verifyConvolution(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  mlir::ShapedType input, mlir::ShapedType weight,
                  llvm::ArrayRef<int64_t> strides,
                  llvm::ArrayRef<int64_t> padding,
                  llvm::ArrayRef<int64_t> dilations, int64_t groups);

/// Checks a gradient against the shape of what it is the gradient of, which a
/// verification as above returned or said what is wrong.
llvm::LogicalResult
verifyGradientShape(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                    mlir::ShapedType gradient,
                    llvm::FailureOr<llvm::SmallVector<int64_t>> expected);

/// Calls `term(x, w, y)` with the row-major offsets of the elements of every
/// product x * w that is added to a y. All three forms are sums over these. It
/// is what the interpreter spends its time on, hence the template.
template <typename Term>
void forEachConvolutionTerm(const ConvolutionGeometry &geometry,
                            llvm::ArrayRef<int64_t> input,
                            llvm::ArrayRef<int64_t> weight,
                            llvm::ArrayRef<int64_t> output, Term &&term) {
  int64_t channels = weight[1], filters = weight[0] / geometry.groups;
  int64_t taps = weight[2] * weight[3], y = 0;
  for (int64_t n = 0; n < output[0]; ++n)
    for (int64_t o = 0; o < output[1]; ++o)
      for (int64_t i = 0; i < output[2]; ++i)
        for (int64_t j = 0; j < output[3]; ++j, ++y)
          for (int64_t c = 0; c < channels; ++c) {
            int64_t image = n * input[1] + o / filters * channels + c;
            int64_t filter = (o * channels + c) * taps;
            for (int64_t k = 0; k < weight[2]; ++k) {
              int64_t row = i * geometry.strides[0] +
                            k * geometry.dilations[0] - geometry.padding[0];
              if (row < 0 || row >= input[2])
                continue;
              int64_t line = (image * input[2] + row) * input[3];
              for (int64_t l = 0; l < weight[3]; ++l) {
                int64_t column = j * geometry.strides[1] +
                                 l * geometry.dilations[1] -
                                 geometry.padding[1];
                if (column >= 0 && column < input[3])
                  term(line + column, filter + k * weight[3] + l, y);
              }
            }
          }
}

} // namespace boostc
