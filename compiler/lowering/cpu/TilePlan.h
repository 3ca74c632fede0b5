// TilePlan.h - convolutions and their gradients in tiles of bf16, as AMX
// multiplies them.
//
// A tile has up to 16 rows of 64 bytes. One multiplication adds to 16 rows of
// 16 sums in f32 the products of 16 rows of 32 factors with 16 pairs of rows of
// 16 factors. In a convolution and the gradient of its input, rows are pixels
// and what is summed over are terms; in a gradient of weights, rows are
// channels of the source and what is summed over are pixels.
//
// Tiles know no borders. A strip of pixels is copied to memory of the kernel
// with the pixels around it that its taps see, zeros where they lie outside.
// Rows of pixels follow each other there, so that a tile goes on in the next
// row; sums of what lies between two rows are computed and left.
#pragma once

#include "compiler/lowering/cpu/TapSumPlan.h"

namespace boostc {

/// Rows of a tile, and bf16 and f32 in a row of it.
constexpr int64_t kTileRows = 16, kTileTerms = 32, kTileSums = 16;
/// Tiles of sums side by side: four of them, two of rows and two of columns
/// are the eight registers of AMX.
constexpr int64_t kTilesAside = 2;

/// An axis of a strip: what the taps of some neighbouring pixels see.
struct StripAxis {
  int64_t step = 1;       ///< elements from one pixel to the next
  int64_t sourceStep = 1; ///< pixels of the source in an element
  int64_t phases = 1;     ///< strips that elements are dealt out to in turn
  int64_t halo = 0;       ///< elements that taps see beyond those of pixels
  int64_t first = 0;      ///< pixel of the source that pixel 0 sees first
  int64_t firstTap = 0, tapStep = 1; ///< elements from there to a tap

  /// With `inPhases`, pixels are neighbours: what lies between them is in
  /// another phase.
  static StripAxis get(const TapAxis &axis, bool inPhases);
  int64_t countElements(int64_t pixels) const {
    return step * (pixels - 1) + halo + 1;
  }
};

/// A strip of a part of a convolution.
struct TileStrip {
  StripAxis rows, columns;
  int64_t rowsOfPixels; ///< at most
  /// The source is read where it lies: pixels have no borders, and terms fill
  /// tiles.
  bool isDirect;
  /// The taps of a row are one row of terms.
  bool foldsTaps;
  /// Rows of taps, columns of them that are summed one by one, and terms of
  /// each of these, a multiple of kTileTerms.
  int64_t tapRows, tapColumns, terms;
  int64_t width; ///< elements of a row
  bool isFlat;   ///< tiles go on in the next row

  static TileStrip get(const TapSum &sum, const TapPart &part,
                       int64_t rowsOfPixels);
  /// Steps of kTileTerms terms that a pixel takes.
  int64_t countSteps() const {
    return tapRows * tapColumns * terms / kTileTerms;
  }
  /// Elements from the first pixel to the last one.
  int64_t countRun(int64_t rows, const TapPart &part) const {
    return (rows - 1) * width + part.columns.pixels;
  }
  /// bf16 of memory for a strip.
  int64_t countElements(const TapSum &sum) const;
};

/// A strip of a gradient of weights.
struct TileGradientStrip {
  StripAxis rows, columns;
  int64_t height, width; ///< of a sample, with what lies between rows
  int64_t maxShift;      ///< from a pixel to what its last tap sees
  int64_t positions;     ///< that are summed over, a multiple of kTileTerms
  int64_t pitch;         ///< elements from a channel of the source to the next

  /// Both images are read where they lie: pixels follow each other, and see one
  /// tap each.
  bool isDirect;

  static TileGradientStrip get(const TapSum &sum, const TapPart &part,
                               const TilePlan &plan);
  int64_t countPhases() const { return rows.phases * columns.phases; }
  /// Bytes of memory for a strip.
  int64_t countBytes(const TilePlan &plan) const;
};

/// The plan of least estimated cost; none where tiles cannot compute `sum`.
std::optional<TapSumPlan> planTiles(const TapSum &sum,
                                    VectorRegisters registers, int64_t threads);

/// Cycles: for all vectors of a row of each part, or, in a gradient of
/// weights, of one tap and pixel for all vectors and terms.
double estimateTiles(const TapSum &sum, const TapSumPlan &plan);

/// emitTapSum() in tiles.
void emitTileSum(mlir::OpBuilder &builder, mlir::Location loc,
                 const TapSum &sum, const TapSumPlan &plan, mlir::Value begin,
                 mlir::Value end);
void emitTileGradient(mlir::OpBuilder &builder, mlir::Location loc,
                      const TapSum &sum, const TapSumPlan &plan,
                      mlir::Value begin, mlir::Value end);

} // namespace boostc
