// TileStripCode.h - strips of the two images of a gradient of weights, as tiles
// read them.
#pragma once

#include "compiler/lowering/cpu/TileCode.h"

namespace boostc {

/// A step sums over kTileTerms pixels, which lie apart in both images. Those of
/// the gradient's image are put together in pairs, and channels of the source
/// become rows of pixels.
class TileStripCode : protected TileCode {
public:
  TileStripCode(mlir::OpBuilder &builder, mlir::Location loc, const TapSum &sum,
                const TapSumPlan &plan);

protected:
  /// Some channels of the source and some of the pixels' image, the filters:
  /// the first ones, in a group; and the partial sum, if there are several.
  struct Piece {
    Value group, channel, filter, partial;
  };

  /// Puts the strip from row `row` of sample `sample` on into `channels` and
  /// `pairs`. Returns how many pixels are summed over, those between rows
  /// among them.
  Value put(const TapPart &part, const TileGradientStrip &strip,
            const Piece &piece, Value sample, Value row);

  const TilePlan &tiles;
  bool sourceIsVector;
  std::vector<TileGradientStrip> strips; ///< of the parts
  Value channels, pairs;

private:
  struct Samples {
    Value first, count;
  };
  /// Pixels in memory, `pitch` elements from one to the next.
  struct Row {
    Value buffer, offset;
    int64_t pitch;
  };

  /// Pixels of a sample of the strip's image, where they are wanted.
  Pixels getPixels(const TapPart &part, const TileGradientStrip &strip,
                   const Piece &piece, Value row);
  Pixels getSource(const TapPart &part, const TileGradientStrip &strip,
                   const Piece &piece, Value row, int64_t phase);
  /// Puts them into `rowsOfPixels`, sample after sample, and zeros from there
  /// up to pixel `end`.
  Row fillSamples(const Pixels &pixels, const TileGradientStrip &strip,
                  Samples samples, Value end);
  void putPairs(const Row &row, Value positions);
  void transpose(const Row &row, Value positions, int64_t to, int64_t pitch);
  /// `first` and the pixel after it in turn, from element `element` on.
  Value loadPair(const Row &row, Value first, Value element);

  /// Masks of the vectors of a pixel's `count` elements from `first` on, if
  /// there are `extent`.
  List<Value> getMasks(int64_t extent, Value first, int64_t count);
  Value alignToTerms(Value count);

  Value rowsOfPixels;
};

} // namespace boostc
