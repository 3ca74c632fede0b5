// rt.damped_inverse as loops: one pass over a matrix for each panel of its
// rows.

#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/Inversion.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace boostc;

/// Rows that are eliminated together, and rows from which they are.
static constexpr int64_t kPanelRows = 8, kRowsAtOnce = 4;

/// The number by which pieces are multiplied, modulo `count`, to give matrices.
/// Its inverse is near `count` over the golden ratio, so that matrices that
/// follow one another lie in pieces that are spread over all of them.
static int64_t chooseStride(int64_t count) {
  auto golden =
      static_cast<int64_t>(std::lround(static_cast<double>(count) * 0.618034));
  int64_t spread = golden;
  for (int64_t off = 1; std::gcd(spread, count) != 1; ++off)
    spread = golden + (off % 2 ? (off + 1) / 2 : -(off / 2));
  int64_t stride = 1;
  while (stride * spread % count != 1 % count)
    ++stride;
  return stride;
}

namespace {

class InverseEmitter : IndexCode {
public:
  InverseEmitter(OpBuilder &builder, rt::DampedInverseOp op,
                 const IRMapping &buffers, int64_t maxLanes)
      : IndexCode(builder, op.getLoc()), failed(buffers.lookup(op.getFailed())),
        size(cast<MemRefType>(op.getInverses().getType()).getDimSize(1)),
        lanes(chooseLanes(size, maxLanes)),
        type(VectorType::get({lanes}, builder.getF32Type())),
        source(flattenBuffer(builder, loc, buffers.lookup(op.getMatrices()))),
        target(flattenBuffer(builder, loc, buffers.lookup(op.getInverses()))),
        weights(buffers.lookup(op.getWeight())),
        damping(load(buffers.lookup(op.getDamping()), {})),
        matrices(cast<MemRefType>(op.getMatrices().getType()).getDimSize(0)) {}

  void emit(Value begin, Value end) {
    forEach(begin, end, [&](Value piece) {
      Value matrix = chooseMatrix(piece);
      weight = load(weights, matrix);
      first = times(matrix, size * size);
      auto start = [&](Value added) { copy(added); };
      auto loadPivot = [&](Value k) { return load(target, locate(k, k)); };
      auto loadDiagonal = [&](Value k) { return load(source, locate(k, k)); };
      auto eliminate = [&](Value k, Value pivot) { reduce(k, pivot); };
      auto clear = [&] {
        forEachVector(first, size * size,
                      [&](Value at, Value mask) { store(zero(), at, mask); });
      };
      Value hasFailed =
          emitInversion(builder, loc, size, weight, damping,
                        {start, loadPivot, loadDiagonal, eliminate, clear});
      memref::StoreOp::create(builder, loc, hasFailed, failed,
                              ValueRange{matrix});
    });
  }

private:
  Value zero() {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  }
  Value load(Value buffer, ValueRange indices) {
    return memref::LoadOp::create(builder, loc, buffer, indices);
  }
  Value load(Value buffer, Value at, Value mask) {
    return loadVector(builder, loc, type, buffer, at, mask);
  }
  void store(Value value, Value at) {
    memref::StoreOp::create(builder, loc, value, target, at);
  }
  void store(Value vector, Value at, Value mask) {
    storeVector(builder, loc, vector, target, at, mask);
  }

  /// Neighbours go to different threads, which take pieces that follow one
  /// another: a rank that inverts a part of the matrices has neighbours.
  Value chooseMatrix(Value piece) {
    return remainder(times(piece, chooseStride(matrices)), matrices);
  }

  Value locateRow(Value row) { return add(first, times(row, size)); }
  Value locate(Value row, Value column) { return add(locateRow(row), column); }

  /// Vectors of `extent` elements from `from` on.
  void forEachVector(Value from, int64_t extent,
                     llvm::function_ref<void(Value at, Value mask)> body) {
    forEach(constant(0), constant(extent), lanes, [&](Value at) {
      Value mask = emitMasks(builder, loc, lanes, 1, extent, at).front();
      body(add(from, at), mask);
    });
  }

  void copy(Value added) {
    Value scale = broadcast(weight);
    forEach(constant(0), constant(size), [&](Value row) {
      forEachVector(locateRow(row), size, [&](Value at, Value mask) {
        Value value = load(source, at, mask);
        store(arith::MulFOp::create(builder, loc, value, scale), at, mask);
      });
      Value diagonal = locate(row, row);
      store(arith::AddFOp::create(builder, loc, load(target, diagonal), added),
            diagonal);
    });
  }

  /// Eliminates a column from the rows of its panel, and a whole panel from all
  /// other rows: what these are is read and written once for each panel.
  void reduce(Value column, Value pivot) {
    Value one = buildConstant(builder, loc, 1.0);
    Value factor = broadcast(arith::DivFOp::create(builder, loc, one, pivot));
    store(one, locate(column, column));
    Value row = locateRow(column);
    forEachVector(row, size, [&](Value at, Value mask) {
      Value value = load(target, at, mask);
      store(arith::MulFOp::create(builder, loc, value, factor), at, mask);
    });
    Value begin = subtract(column, remainder(column, kPanelRows));
    Value end = minimum(plus(begin, kPanelRows), constant(size));
    auto subtractRow = [&](Value other) {
      subtractRows(column, constant(1), other, /*count=*/1);
    };
    forEach(begin, column, subtractRow);
    forEach(plus(column, 1), end, subtractRow);
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         plus(column, 1), end);
    emitIf(isLast, [&] {
      forEachRow(constant(0), begin, [&](Value other, int64_t count) {
        subtractRows(begin, subtract(end, begin), other, count);
      });
      forEachRow(end, constant(size), [&](Value other, int64_t count) {
        subtractRows(begin, subtract(end, begin), other, count);
      });
    });
  }

  /// Some rows at a time, then those that are left.
  void forEachRow(Value begin, Value end,
                  llvm::function_ref<void(Value first, int64_t count)> body) {
    Value left = remainder(subtract(end, begin), kRowsAtOnce);
    Value middle = subtract(end, left);
    forEach(begin, middle, kRowsAtOnce,
            [&](Value row) { body(row, kRowsAtOnce); });
    forEach(middle, end, [&](Value row) { body(row, 1); });
  }

  /// Subtracts rows `first` to `first + solved - 1` from `count` rows from
  /// `other` on, times what these have in their columns, where zeros are left
  /// before. A solved row that is not there counts as zeros.
  void subtractRows(Value first, Value solved, Value other, int64_t count) {
    bool isOne = count == 1 && isConstantIntValue(solved, 1);
    int64_t rows = isOne ? 1 : kPanelRows;
    SmallVector<Value> columns, shares;
    Value zero = buildConstant(builder, loc, 0.0);
    for (int64_t row = 0; row < rows; ++row)
      columns.push_back(add(first, minimum(constant(row), plus(solved, -1))));
    for (int64_t i = 0; i < count; ++i)
      for (int64_t row = 0; row < rows; ++row) {
        Value isThere = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, constant(row), solved);
        Value share = load(target, locate(plus(other, i), columns[row]));
        share = arith::SelectOp::create(builder, loc, isThere, share, zero);
        shares.push_back(broadcast(arith::NegFOp::create(builder, loc, share)));
      }
    for (int64_t i = 0; i < count; ++i)
      for (Value column : columns)
        store(zero, locate(plus(other, i), column));
    forEachVector(constant(0), size, [&](Value at, Value mask) {
      SmallVector<Value> values;
      for (Value column : columns)
        values.push_back(load(target, add(locateRow(column), at), mask));
      for (int64_t i = 0; i < count; ++i) {
        Value place = add(locateRow(plus(other, i)), at);
        Value value = load(target, place, mask);
        for (int64_t row = 0; row < rows; ++row)
          value = vector::FMAOp::create(builder, loc, shares[i * rows + row],
                                        values[row], value);
        store(value, place, mask);
      }
    });
  }

  Value failed;
  int64_t size, lanes;
  VectorType type;
  Value source, target, weights, damping;
  int64_t matrices;
  Value weight, first; ///< of the matrix at hand: its first element
};

} // namespace

/// Threads share the matrices.
OpKernel boostc::planDampedInverse(rt::DampedInverseOp op, int64_t maxLanes) {
  int64_t count = cast<MemRefType>(op.getMatrices().getType()).getDimSize(0);
  return {.pieces = count,
          .workPerPiece = countIterations(op.getFlops() / 2 / count),
          .emit = [op, maxLanes](OpBuilder &builder, const IRMapping &buffers,
                                 Value begin, Value end) {
            InverseEmitter(builder, op, buffers, maxLanes).emit(begin, end);
          }};
}
