// GramPlan.h - how rt.gram is computed on CPUs.
#pragma once

#include "dialects/rt/Gram.h"

namespace boostc {

/// How rt.gram is computed: columns of a block are packed for as many windows
/// as stay in a cache. Columns of one channel are the same pixels, read from
/// other places on: where vectors fit into a line of pixels, or there is one
/// tap, the pixels are packed, once for all taps, with zeros where taps see
/// nothing. Else each column is packed, contiguous.
struct GramPlan {
  rt::GramShape shape;
  int64_t lanes = 0;             ///< of vectors
  int64_t samples = 0, rows = 0; ///< of output pixels that are packed together
  bool packsPixels = false;      ///< and not each column
  /// Packed lines of pixels, and elements of a line.
  int64_t lines = 0, lineLength = 0;
  int64_t length = 0;   ///< of a packed column or channel
  int64_t distance = 0; ///< from one to the next, elements
  int64_t stripes = 0;  ///< pieces of a block

  static GramPlan get(const rt::GramShape &shape, int64_t maxLanes,
                      int64_t threads);

  /// Columns that are packed, up to whole tiles, or channels of columns.
  int64_t countPacked() const;
  int64_t countPackedElements() const { return countPacked() * distance; }
  /// Whether windows lie next to each other, without the ends of lines that
  /// only some taps see.
  bool isContiguous() const { return !packsPixels || shape.getTaps() == 1; }
};

/// Elements of the Gram matrix that are summed at once, in registers: so many
/// rows and columns.
inline constexpr int64_t kGramTileRows = 4, kGramTileColumns = 3;

} // namespace boostc
