// TileCode.h - what the code of sums in tiles is made of (TilePlan.h).
#pragma once

#include "compiler/lowering/cpu/TapSumCode.h"
#include "compiler/lowering/cpu/TilePlan.h"

namespace boostc {

class TileCode : protected TapSumCode {
protected:
  using TapSumCode::TapSumCode;

  /// Rows of pixels on their way into a strip.
  struct Pixels {
    const TapOperand &operand;
    Value corner; ///< offset of pixel 0 of row 0, of the first element wanted
    Value row;    ///< the first one
    int64_t rowStep;
    Range inside;                       ///< numbers of those that exist
    int64_t column, columnStep, extent; ///< columns that exist: [0, extent)
    int64_t columns;                    ///< wanted
    int64_t elements;                   ///< of a pixel
    List<Value> masks; ///< of vectors of kTileTerms of them; empty: all
  };
  /// Copies `rows` rows to `target`, from `to` on, pixel by pixel, and writes
  /// zeros for what does not exist and for kTileTerms elements after the last
  /// row.
  void fill(const Pixels &pixels, Value rows, Value target, Value to);
  /// `elements` zeros, and up to kTileTerms - 1 after them.
  void clear(Value target, Value to, Value elements);

  /// A loop over tiles [0, count), two at a time, and the last one alone.
  void forTiles(Value count,
                llvm::function_ref<void(Value first, int64_t tiles)> body);
  void forTiles(int64_t count,
                llvm::function_ref<void(Value first, int64_t tiles)> body) {
    forTiles(constant(count), body);
  }

  Value zeroTile();
  /// A tile of the elements of `buffer`, `pitch` of them from row to row.
  Value loadTile(Value buffer, Value offset, int64_t pitch);
  void storeTile(Value tile, Value buffer, Value offset, int64_t pitch);
  /// The sums with the products of each row of tiles with each column of them
  /// added. Each is loaded when it is needed first, so that multiplications and
  /// loads alternate.
  List<Value> multiplyTiles(int64_t rows, int64_t columns,
                            llvm::function_ref<Value(int64_t)> loadRow,
                            llvm::function_ref<Value(int64_t)> loadColumn,
                            List<Value> sums);

private:
  void fillRow(const Pixels &pixels, Value from, Value target, Value to);
  void copyVector(Value from, Value target, Value to, const TapOperand &operand,
                  Value mask);
};

} // namespace boostc
