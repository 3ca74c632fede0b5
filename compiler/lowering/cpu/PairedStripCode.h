// PairedStripCode.h - strips of the two images of a gradient of weights, put
// together as pairs of pixels.
#pragma once

#include "compiler/lowering/cpu/TapSumCode.h"

namespace boostc {

/// Pixels that are neighbours in a row lie apart in both images. For a strip
/// and a column of taps they are put together once, and all rows of taps and
/// tiles of a piece read them: vectors of channels of two pixels in turn, and
/// what is broadcast, two pixels of a channel.
class PairedStripCode : protected TapSumCode {
public:
  PairedStripCode(mlir::OpBuilder &builder, mlir::Location loc,
                  const TapSum &sum, const TapSumPlan &plan);

protected:
  struct Strip {
    Range samples, rows;
  };
  /// A strip's pairs at a column of taps.
  struct Pairs {
    const Strip &strip;
    Value firstTerm; ///< of the piece
    Value pixel;     ///< the first of the first pair of each row
    Value count;     ///< of pairs in a row
  };

  /// The pairs of `strip`, at the taps of column `tapColumn`, for terms
  /// `terms`.
  Pairs pack(const TapPart &part, const Block &block, const Strip &strip,
             Value tapColumn, Range terms);

  /// Where the pairs of a row of `sample` begin that the row of taps `tapRow`
  /// sees: of what is broadcast, for `term`, and of the vectors.
  struct PairedRow {
    Value shared, vectors;
  };
  PairedRow getRow(const TapPart &part, const Pairs &pairs, Value sample,
                   Value row, Value tapRow, Value term);

  /// The sums with the products of pair `pair` of a row added.
  List<Value> multiplyPairs(const PairedRow &row, Value pair, int64_t terms,
                            List<Value> sums);

private:
  /// Rows `rows` of `image`, of which `first` is the first of the strip, from
  /// `corner` on. Pixels are `step` elements apart.
  void packImage(const TapOperand &image, const TapOperand &target,
                 Value corner, const Pairs &pairs, Range rows, Value first,
                 int64_t step, Range terms);
  void packPair(const TapOperand &image, const TapOperand &target, Value from,
                Value to, int64_t step, Range terms);

  bool sharesSource; ///< what is broadcast is the source
  TapOperand source, image;
};

} // namespace boostc
