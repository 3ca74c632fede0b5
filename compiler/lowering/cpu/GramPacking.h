// GramPacking.h - what rt.gram multiplies, packed as tiles read it.
#pragma once

#include "compiler/lowering/cpu/GramPlan.h"
#include "compiler/lowering/cpu/IndexCode.h"

namespace boostc {

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
              const GramPlan &plan, mlir::Value input, mlir::Value packed);

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
  std::optional<int64_t> getDistanceOfRows() const;
  void packRows(const Window &window, Value firstChannel, Value channels,
                int64_t distance);
  llvm::SmallVector<int64_t> getStrides() const;
  bool hasAdjacentChannels() const;
  int64_t getRowLanes() const;
  /// `count` pixels `distance` elements from each other, the first channel of
  /// the first one at `from` of the input, and at `to` of its line.
  struct PixelRun {
    Value from;
    int64_t distance;
    Value count, channels, to;
  };
  void copyPixels(const PixelRun &run);
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
  Value flat; ///< the input as it lies in memory
};

} // namespace boostc
