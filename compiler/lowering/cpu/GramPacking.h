// GramPacking.h - what rt.gram multiplies, packed as tiles read it.
#pragma once

#include "compiler/lowering/cpu/IndexCode.h"
#include "dialects/rt/Gram.h"

namespace boostc {

/// How rt.gram is computed: columns of a block are packed for as many windows
/// as stay in a cache. Columns of one channel are the same pixels, read from
/// other places on: where vectors fit into a line of pixels, or there is one
/// tap, the pixels are packed, once for all taps, with zeros where taps see
/// nothing. Else each column is packed, contiguous.
struct GramPlan {
  rt::GramShape shape;
  int64_t lanes;            ///< of vectors
  int64_t samples, rows;    ///< of output pixels that are packed together
  bool packsPixels = false; ///< and not each column
  /// Packed lines of pixels, and elements of a line.
  int64_t lines, lineLength;
  int64_t length;   ///< of a packed column or channel
  int64_t distance; ///< from one to the next, elements
  int64_t stripes;  ///< pieces of a block

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

/// A block of the matrix whose columns are multiplied.
struct GramBlock {
  mlir::Value number;
  mlir::Value first;   ///< of its columns
  mlir::Value present; ///< how many it has
};

/// Emits the packing of a block.
class GramPacking : IndexCode {
public:
  /// From `input` to `packed`, of countPackedElements() elements.
  GramPacking(mlir::OpBuilder &builder, mlir::Location loc,
              const GramPlan &plan, mlir::Value input, mlir::Value packed)
      : IndexCode(builder, loc), plan(plan), shape(plan.shape), input(input),
        packed(packed) {}

  /// Output pixels of `count` samples from `sample` on, of `rows` rows from
  /// `row` on.
  struct Window {
    mlir::Value sample, count, row, rows;
  };
  /// Packs what the columns of `block` have for `window`.
  void pack(const GramBlock &block, const Window &window);

  /// Where columns `column` to `column + count - 1` of `block` begin. Some may
  /// not be there; what is read for them is in memory, and without a meaning.
  llvm::SmallVector<Value> locate(const GramBlock &block, Value column,
                                  int64_t count);

private:
  void packColumns(const GramBlock &block, const Window &window);
  void packPixels(const GramBlock &block, const Window &window);
  Value locate(const GramBlock &block, Value column);
  Value getChannel(const GramBlock &block, Value column);
  Value inGroup(const GramBlock &block, Value channel);
  void
  forEachByStride(llvm::ArrayRef<Range> ranges,
                  llvm::function_ref<void(llvm::ArrayRef<Value> indices)> body);
  struct Axis;
  Axis getAxis(unsigned axis, Value tap, int64_t extent, int64_t output);
  void clear(Value start);
  Value loadPixel(Value sample, Value channel, Value y, Value x);

  const GramPlan &plan;
  const rt::GramShape &shape;
  Value input, packed;
};

} // namespace boostc
