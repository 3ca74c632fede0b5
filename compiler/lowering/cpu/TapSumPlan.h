// TapSumPlan.h - convolutions and their gradients as kernels of a CPU, where
// the channels of an image are neighbours in memory.
//
// Sums lie in vector registers: some vectors of channels, for some pixels (or
// channels of the other image, in a gradient of weights). The other operand is
// broadcast. No vector is partly empty because of a batch or a border: borders
// are known when the code is made, row by row and column by column.
//
// Where a CPU multiplies bf16, two neighbouring terms, or two pixels in a
// gradient of weights, are one step: a lane is the sum of two products.
#pragma once

#include "compiler/lowering/kernels/TapSum.h"
#include "compiler/lowering/target/CpuTarget.h"

namespace boostc {

/// How a sum is cut where a CPU multiplies tiles of bf16; see TilePlan.h.
struct TilePlan {
  int64_t rows = 1; ///< rows of pixels of a strip
  /// In a convolution: blocks of weights that are put together at once.
  int64_t blocks = 1;
  /// In a gradient of weights: samples of a strip, and channels of the source
  /// and of the pixels' image of a piece, multiples of a tile's.
  int64_t samples = 1, channels = 0, filters = 0;
};

/// How a sum is cut where it is computed by Winograd's algorithm; see
/// WinogradPlan.h.
struct WinogradPlan {
  /// Tiles of a line: all of a row, or, where these are many, some; lines of a
  /// strip, and strips in a piece of a convolution.
  int64_t columns = 1, lines = 1, strips = 1;
  /// Channels of a piece along vectors, a multiple of a vector, and, in a
  /// gradient of weights, along terms.
  int64_t width = 1, terms = 1;
  int64_t lanes = 1; ///< of vectors along terms
};

struct TapSumPlan {
  int64_t lanes = 1;    ///< elements of a vector
  int64_t vectors = 1;  ///< of a tile
  int64_t tile = 1;     ///< pixels of a row; terms in a gradient of weights
  int64_t samples = 1;  ///< of a tile: more than 1 for short rows
  int64_t lines = 1;    ///< rows of pixels that one block of weights meets
  bool inPairs = false; ///< multiplies pairs of bf16
  /// Computes foldTaps() of the sum: the other fields are of getForm().
  bool foldsTaps = false;
  /// Vectors are put together once for several tiles: a block's weights, or
  /// pairs of strips of images.
  bool packs = false;
  /// In a gradient of weights: tiles of terms in a piece, and whether rows of
  /// taps are pieces of their own.
  int64_t tilesOfPiece = 1;
  bool splitsTapRows = false;
  /// There, too: whether a strip of pixels meets all pieces of a thread before
  /// the next one, so that images are read once, and sums for each strip. Else
  /// it is the other way round.
  bool sharesStrips = false;
  int64_t pieces = 1; ///< units of work for threads
  /// In tiles. Lanes and vectors are those of a block then, and lines the
  /// strips of a piece.
  std::optional<TilePlan> tiles;
  /// By Winograd's algorithm: the fields above but for pieces are those of the
  /// products of transformed factors then.
  std::optional<WinogradPlan> winograd;

  TapSum getForm(const TapSum &sum) const {
    return foldsTaps ? *foldTaps(sum) : sum;
  }
  /// Whether factors that are bf16 are multiplied as such.
  bool keepsBFloat16() const { return inPairs || tiles; }
  /// Blocks of vectors, of all groups.
  int64_t countBlocks(const TapSum &sum) const;
  /// Elements of the weights of a block.
  int64_t countWeights(const TapSum &sum) const;
};

/// What a gradient of weights in pairs puts together for a strip of pixels.
struct PairedStrip {
  int64_t samples, rows, sourceRows; ///< rows of a sample
  int64_t pairs;                     ///< of pixels of a row
  /// Elements of a pair of pixels: what is broadcast has the terms of a piece,
  /// the other one the vectors of a block.
  int64_t sourceWidth, width;

  static PairedStrip get(const TapSum &sum, const TapSumPlan &plan);
  int64_t countBytes() const;
};

/// The `count` plans of least estimated cost, the best first. None where `sum`
/// cannot be computed in vectors.
std::vector<TapSumPlan> planTapSum(const TapSum &sum, VectorRegisters registers,
                                   int64_t threads, size_t count);

/// Emits pieces [begin, end). The operands' buffers are those of the kernel.
void emitTapSum(mlir::OpBuilder &builder, mlir::Location loc, const TapSum &sum,
                const TapSumPlan &plan, mlir::Value begin, mlir::Value end);

} // namespace boostc
