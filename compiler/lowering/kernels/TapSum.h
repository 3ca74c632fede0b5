// TapSum.h - convolutions and their gradients as sums over the taps of a
// window, whatever order the dimensions of their operands lie in.
//
// A convolution and the gradient of its input both gather:
//
//   result[n, i, j, v] = (bias[v] +) sum over k, l, t of
//                        source[n, y, x, t] * weight[k, l, t, v]
//
// and the gradient of the weights sums over pixels:
//
//   result[k, l, t, v] = sum over n, i, j of
//                        pixels[n, i, j, v] * source[n, y, x, t]
//
// y is linear in i and k, and x in j and l. A source pixel outside of the
// source counts as zero. `v` runs along a vector register, `t` over what is
// broadcast. In a gradient, the vectors may be those of the source, and what is
// broadcast that of the pixels.
#pragma once

#include "dialects/rt/RtDialect.h"
#include <optional>
#include <vector>

namespace boostc {

/// One axis of a window: pixel `p` sees, at tap `t`, the source's pixel
/// pixelStep * p + tapStep * t + constant, if that lies in [0, extent).
struct TapAxis {
  int64_t pixels = 1, taps = 1;
  int64_t pixelStep = 1, tapStep = 1, constant = 0;
  int64_t extent = 1;

  int64_t getPosition(int64_t pixel, int64_t tap) const {
    return pixelStep * pixel + tapStep * tap + constant;
  }
  bool isInside(int64_t pixel, int64_t tap) const {
    int64_t position = getPosition(pixel, tap);
    return position >= 0 && position < extent;
  }
  /// Whether some pixel sees, at some tap, nothing.
  bool isGuarded() const;
  /// The share of pairs of a pixel and a tap that see something.
  double getInsideShare() const;
  /// The axis of pixels [first, first + count).
  TapAxis slice(int64_t first, int64_t count) const;
  /// Whether pixels and source pixels are the same.
  bool isIdentity() const {
    return taps == 1 && pixelStep == 1 && constant == 0 && pixels == extent;
  }
};

/// Elements that an operand moves when an index grows by one. `row` and
/// `column` are pixels of an image and taps of a weight. It begins at element
/// `constant`, and `start` elements later if there is a value for those.
struct TapOperand {
  mlir::Value buffer;
  mlir::MemRefType type;
  int64_t constant = 0, sample = 0, group = 0, row = 0, column = 0, term = 0,
          vector = 0;
  mlir::Value start = {};

  explicit operator bool() const { return static_cast<bool>(buffer); }
};

/// One of the parts that a sum is made of: those pixels of the result that see
/// the same taps, or some of the pixels that are summed over.
struct TapPart {
  TapAxis rows, columns;
  TapOperand source, weight, result;
};

/// Fields as above; in a gradient of the weights, `weight` is what is summed
/// over, an image of pixels, and `result` a weight. Where there are several
/// `partials`, each is the sum over some of the pixels, and lies
/// `result.sample` elements after the one before.
struct TapSum {
  bool isWeightGradient = false;
  /// Whether Winograd's algorithm may compute it.
  rt::WinogradUse winograd = rt::WinogradUse::Off;
  /// A gradient of weights is added to what `result` holds.
  bool adds = false;
  int64_t samples = 1, groups = 1, terms = 1, width = 1, partials = 1;
  TapOperand bias;
  std::vector<TapPart> parts;

  /// The largest number of rows of a part.
  int64_t getRows() const;
  /// Whether partial sums are of different samples, not of different rows of
  /// all samples: as evenly as they come, or nearly so.
  bool cutsSamples() const {
    return samples % partials == 0 || samples >= 4 * partials;
  }
  /// Elements of an operand's buffer are neighbours along `v`.
  bool hasVectors() const;
  /// In a gradient of weights of several terms: the channels of the source, and
  /// those of the image of pixels.
  int64_t countSourceChannels() const {
    return parts.front().source.vector != 0 ? width : terms;
  }
  int64_t countImageChannels() const {
    return parts.front().source.vector != 0 ? terms : width;
  }
  /// Both factors are bf16, and what is broadcast are neighbours along `t`, of
  /// which there are several.
  bool hasPairs() const;
};

/// The types of a convolution's input, weight and output; those of row-major
/// memory for tensors.
struct ConvolutionTypes {
  mlir::MemRefType input, weight, output;

  static ConvolutionTypes of(rt::ConvolutionOp op);
};

/// Pixels beyond the ends of a source's rows that some pixel sees at some tap.
struct TapBorder {
  int64_t before = 0, after = 0;

  /// That of the only part of `sum`; none where there are several.
  static std::optional<TapBorder> of(const TapSum &sum);
  bool isEmpty() const { return before == 0 && after == 0; }
};

/// `sum` with the taps of a row as terms: a pixel's terms are its neighbours in
/// memory, which other pixels share. Each sum has its products in the same
/// order. None where some pixel sees nothing at a tap, or where the channels
/// of a tap are not followed by those of the next one.
std::optional<TapSum> foldTaps(const TapSum &sum);

/// Without a window, makes lines of the pixels of all rows and samples. Their
/// length is a multiple of the tiles that registers hold.
void flattenPixels(TapSum &sum);

/// What `op` computes where its operands have `types`, and it has `geometry`.
/// Images without a window are rows of a fixed number of pixels, whatever their
/// height and width.
TapSum getTapSum(rt::ConvolutionOp op, const ConvolutionTypes &types,
                 const ConvolutionGeometry &geometry);

/// None where `op` has no window.
std::optional<TapSum> getTapSum(ContractionOpInterface op);

} // namespace boostc
