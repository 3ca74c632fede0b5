// IndexCode.h - arithmetic on indices, and loops, as kernels are made of them.
#pragma once

#include "mlir/IR/Builders.h"

namespace boostc {

/// Emits at the builder's insertion point; folds what is constant.
class IndexCode {
public:
  IndexCode(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

protected:
  using Value = mlir::Value;

  Value constant(int64_t value);
  Value add(Value a, Value b);
  Value plus(Value index, int64_t term);
  /// 0 for a null index: a loop of one iteration has no variable.
  Value times(Value index, int64_t factor);
  /// For numbers of 0 or more.
  Value quotient(Value index, int64_t divisor);
  Value remainder(Value index, int64_t divisor);
  Value subtract(Value a, Value b);
  Value minimum(Value a, Value b);
  Value maximum(Value a, Value b);
  Value isBelow(Value a, Value b);
  Value select(Value condition, Value a, Value b);

  void forEach(Value begin, Value end, int64_t step,
               llvm::function_ref<void(Value)> body);
  void forEach(Value begin, Value end, llvm::function_ref<void(Value)> body) {
    forEach(begin, end, 1, body);
  }

  void emitIf(Value condition, llvm::function_ref<void()> body);

  /// Null: one iteration, at zero.
  struct Range {
    Value begin, end;
  };
  Range intersect(Range a, Range b);
  /// Numbers n with step * n + first in [0, extent), of `count` from 0 on.
  Range solve(Value first, int64_t step, int64_t extent, int64_t count);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace boostc
