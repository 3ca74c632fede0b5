// TapSumCode.h - what the code of convolutions and of their gradients is made
// of (TapSumPlan.h).
#pragma once

#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/TapSumPlan.h"

namespace boostc {

class TapSumCode : protected IndexCode {
public:
  TapSumCode(mlir::OpBuilder &builder, mlir::Location loc, const TapSum &sum,
             const TapSumPlan &plan);

protected:
  template <typename T> using List = llvm::SmallVector<T>;

  /// A block of vectors: a group, and the first channel in it.
  struct Block {
    Value group, first;
  };
  /// Vectors, by how far they lie from an offset.
  using Loads = llvm::DenseMap<int64_t, Value>;

  Value isEqual(Value a, int64_t b);

  /// Null, which is one iteration, where one step ends there.
  Range upTo(int64_t end, int64_t step = 1);
  /// A loop that carries sums.
  List<Value> reduce(Range range, List<Value> sums,
                     llvm::function_ref<List<Value>(Value, List<Value>)> body,
                     int64_t step = 1);

  /// `buffer` as a row of elements.
  Value getFlat(Value buffer);
  /// Before all loops: memory of the kernel.
  Value reserve(int64_t elements, mlir::Type type);
  /// The same for elements, or pairs of bf16, of a block alone.
  TapOperand reserveBlock(int64_t elements, mlir::Type type);
  TapOperand reservePairs(int64_t elements);
  void storePacked(Value vector, const TapOperand &operand, Value offset);

  /// Those of pieces [begin, end) that belong to each partial sum, which is
  /// null where there is one sum. Threads share partial sums before their
  /// pieces.
  void forEachPartial(
      Value begin, Value end, int64_t piecesOfPartial,
      llvm::function_ref<void(Value partial, Value begin, Value end)> act);
  /// What a partial sum adds up: samples, and of each the rows of a part.
  Range getSamples(Value partial);
  Range getRows(const TapPart &part, Value partial);

  /// The taps that see something from `pixel`, and the pixels that `tap` lets
  /// see something.
  Range getInsideTaps(const TapAxis &axis, Value pixel);
  Range getInsidePixels(const TapAxis &axis, Value tap);

  /// Vectors are those of this block from here on.
  Block decodeBlock(Value number);
  /// The offset of a group's first element.
  Value offsetOf(const TapOperand &operand, Value group);
  /// The offset of the block's first channel, in `sample` if there is one.
  Value offsetOf(const TapOperand &operand, const Block &block, Value sample);

  /// A vector as it is stored, at `offset` + `step`.
  Value loadStored(const TapOperand &operand, Value offset, int64_t step,
                   int64_t vector);
  /// A vector of f32, or an element in every lane, at `offset` + `step`.
  Value load(const TapOperand &operand, Value offset, int64_t step,
             int64_t vector);
  /// Once for all who ask. With `partner`, each element is followed by the one
  /// that lies `partner` elements further on, and both stay bf16.
  Value load(const TapOperand &operand, Value offset, int64_t step,
             int64_t vector, Loads &loads, int64_t partner = 0);
  /// Has the CPU fetch the element at `offset` into its second cache.
  void prefetch(const TapOperand &operand, Value offset);
  /// Elements of `a` and `b` in turn.
  Value interleave(Value a, Value b);
  /// Puts the weights of a block together in memory that was reserved for
  /// blocks, `base` elements after `packed`.
  void packWeights(const TapPart &part, const TapOperand &packed,
                   const Block &block, Value base);
  void storeSum(Value sum, const TapOperand &operand, Value offset,
                int64_t step, int64_t vector);
  /// `a` and `b` are f32, or pairs of bf16, both products of which are added.
  Value multiplyAdd(Value a, Value b, Value sum);
  Value getZeros(mlir::VectorType type);
  Value zero() { return getZeros(vectorType); }
  /// Zeros in whole vectors of `type`, for `elements` elements of the row
  /// `target` from `to` on and what the last vector has beyond.
  void clear(Value target, mlir::VectorType type, Value to, Value elements);

  const TapSum &sum;
  const TapSumPlan &plan;
  mlir::VectorType vectorType; ///< f32 in the plan's lanes

private:
  Range getShare(int64_t extent, Value partial);
  bool isPaired(const TapOperand &operand) const {
    return paired.contains(operand.buffer);
  }
  Value loadPairs(const TapOperand &operand, Value offset, int64_t step,
                  int64_t vector, int64_t partner);

  llvm::DenseMap<Value, Value> flat;
  llvm::DenseSet<Value> packed; ///< buffers of a block
  llvm::DenseSet<Value> paired; ///< those whose elements are pairs already
  List<Value> masks;            ///< of the block's vectors; null: all lanes
};

/// emitTapSum() for a gradient of weights.
void emitTapGradient(mlir::OpBuilder &builder, mlir::Location loc,
                     const TapSum &sum, const TapSumPlan &plan,
                     mlir::Value begin, mlir::Value end);

} // namespace boostc
