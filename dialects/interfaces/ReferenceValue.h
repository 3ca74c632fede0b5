// ReferenceValue.h - a tensor of the interpreter: every element a double,
// whatever the IR's element type. i1, i32 and i64 are exact up to 2^53, which
// counts and labels never reach.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace boostc {

struct ReferenceValue {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data; ///< row-major

  ReferenceValue() = default;
  /// A value of `shape`, all elements `fill`.
  explicit ReferenceValue(llvm::ArrayRef<int64_t> shape, double fill = 0.0);
  ReferenceValue(std::initializer_list<int64_t> shape)
      : ReferenceValue(llvm::ArrayRef<int64_t>(shape)) {}
  /// A value of `type`'s shape (empty for a scalar type).
  static ReferenceValue zeros(mlir::Type type);
  static ReferenceValue scalar(double value);

  int64_t size() const { return static_cast<int64_t>(data.size()); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t dim(int64_t i) const { return shape[i]; }
  /// Element of a value with one element.
  double item() const { return data.front(); }
  /// Element (i, j) of a matrix.
  double &at(int64_t i, int64_t j) { return data[i * shape[1] + j]; }
  double at(int64_t i, int64_t j) const { return data[i * shape[1] + j]; }
};

/// Rounds values of types that hold less than f32; f32 is what the
/// interpreter's double precision is compared with.
void roundToTypes(mlir::TypeRange types,
                  llvm::MutableArrayRef<ReferenceValue> values);

/// The operands or the results of an op on one rank.
using RankValues = llvm::SmallVector<ReferenceValue>;

/// What an op may ask the interpreter for: to run a region of its own (values
/// used from outside the region are known), a function it names, or the value
/// of something its region uses from outside.
class ReferenceContext {
public:
  virtual ~ReferenceContext() = default;
  /// The value of `value`, which dominates the op being evaluated.
  virtual const ReferenceValue &lookup(mlir::Value value) const = 0;
  /// Runs the single block of `region` and appends the terminator's operands.
  virtual llvm::LogicalResult
  evaluateRegion(mlir::Region &region, llvm::ArrayRef<ReferenceValue> arguments,
                 llvm::SmallVectorImpl<ReferenceValue> &yielded) = 0;
  /// Calls the function-like op `callee` and appends its results.
  virtual llvm::LogicalResult
  call(mlir::Operation *callee, llvm::ArrayRef<ReferenceValue> arguments,
       llvm::SmallVectorImpl<ReferenceValue> &results) = 0;
};

} // namespace boostc
