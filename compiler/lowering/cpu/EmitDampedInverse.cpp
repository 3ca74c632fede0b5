// rt.damped_inverse as loops: one pass over a matrix for each of its columns.

#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/Inversion.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

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
        weight(load(buffers.lookup(op.getWeight()), {})),
        damping(load(buffers.lookup(op.getDamping()), {})) {}

  void emit(Value begin, Value end) {
    forEach(begin, end, [&](Value matrix) {
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

  void reduce(Value column, Value pivot) {
    Value one = buildConstant(builder, loc, 1.0);
    Value factor = broadcast(arith::DivFOp::create(builder, loc, one, pivot));
    store(one, locate(column, column));
    Value row = locateRow(column);
    forEachVector(row, size, [&](Value at, Value mask) {
      Value value = load(target, at, mask);
      store(arith::MulFOp::create(builder, loc, value, factor), at, mask);
    });
    auto subtractRow = [&](Value other) {
      Value own = locate(other, column);
      Value share =
          broadcast(arith::NegFOp::create(builder, loc, load(target, own)));
      store(buildConstant(builder, loc, 0.0), own);
      Value distance = subtract(row, locateRow(other));
      forEachVector(locateRow(other), size, [&](Value at, Value mask) {
        Value solved = load(target, add(at, distance), mask);
        Value value = load(target, at, mask);
        store(vector::FMAOp::create(builder, loc, share, solved, value), at,
              mask);
      });
    };
    forEach(constant(0), column, subtractRow);
    forEach(plus(column, 1), constant(size), subtractRow);
  }

  Value failed;
  int64_t size, lanes;
  VectorType type;
  Value source, target, weight, damping;
  Value first; ///< element of the matrix at hand
};

} // namespace

/// Threads share the matrices.
OpKernel boostc::planDampedInverse(rt::DampedInverseOp op, int64_t maxLanes) {
  int64_t count = cast<MemRefType>(op.getMatrices().getType()).getDimSize(0);
  return {.pieces = count,
          .workPerPiece = op.getFlops() / 2 / count,
          .emit = [op, maxLanes](OpBuilder &builder, const IRMapping &buffers,
                                 Value begin, Value end) {
            InverseEmitter(builder, op, buffers, maxLanes).emit(begin, end);
          }};
}
