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

  Value isBelow(Value a, int64_t b);
  Value isEqual(Value a, int64_t b);

  /// A loop that carries sums.
  List<Value> reduce(Range range, List<Value> sums,
                     llvm::function_ref<List<Value>(Value, List<Value>)> body);

  /// The taps that see something from `pixel`, and the pixels that `tap` lets
  /// see something.
  Range getInsideTaps(const TapAxis &axis, Value pixel);
  Range getInsidePixels(const TapAxis &axis, Value tap);

  /// Vectors are those of this block from here on.
  Block decodeBlock(Value number);
  /// The offset of the block's first channel, in `sample` if there is one.
  Value offsetOf(const TapOperand &operand, const Block &block, Value sample);

  /// A vector of f32, or an element in every lane, at `offset` + `step`.
  Value load(const TapOperand &operand, Value offset, int64_t step,
             int64_t vector);
  Value load(const TapOperand &operand, Value offset, int64_t step,
             int64_t vector, Loads &loads);
  void storeSum(Value sum, const TapOperand &operand, Value offset,
                int64_t step, int64_t vector);
  Value multiplyAdd(Value a, Value b, Value sum);
  Value zero();

  const TapSum &sum;
  const TapSumPlan &plan;

private:
  Value getFlat(Value buffer);

  mlir::VectorType vectorType;
  llvm::DenseMap<Value, Value> flat; ///< buffers as rows of elements
  List<Value> masks; ///< of the block's vectors; null: all lanes
};

/// emitTapSum() for a gradient of weights.
void emitTapGradient(mlir::OpBuilder &builder, mlir::Location loc,
                     const TapSum &sum, const TapSumPlan &plan,
                     mlir::Value begin, mlir::Value end);

} // namespace boostc
