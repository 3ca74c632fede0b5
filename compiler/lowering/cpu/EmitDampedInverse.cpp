// Gauss-Jordan elimination in the memory of the inverse, without pivoting,
// which definite matrices do not need: one pass over the matrix for each
// column.

#include "compiler/lowering/cpu/EmitDampedInverse.h"
#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/rt/DampedInverse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

namespace {

class InverseEmitter : IndexCode {
public:
  InverseEmitter(OpBuilder &builder, Location loc,
                 const DampedInverseBuffers &buffers, int64_t maxLanes)
      : IndexCode(builder, loc), failed(buffers.failed),
        size(cast<MemRefType>(buffers.inverses.getType()).getDimSize(1)),
        lanes(chooseLanes(size, maxLanes)),
        type(VectorType::get({lanes}, builder.getF32Type())),
        source(flattenBuffer(builder, loc, buffers.matrices)),
        target(flattenBuffer(builder, loc, buffers.inverses)),
        weight(
            memref::LoadOp::create(builder, loc, buffers.weight, ValueRange())),
        damping(memref::LoadOp::create(builder, loc, buffers.damping,
                                       ValueRange())) {}

  void emit(Value begin, Value end) {
    forEach(begin, end, [&](Value matrix) {
      start = times(matrix, size * size);
      Value no = constantFlag(false);
      SmallVector<Value> state = {no, damping};
      auto tries =
          scf::ForOp::create(builder, loc, constant(0),
                             constant(rt::kDampingTries), constant(1), state);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(tries.getBody());
        Value isDone = tries.getRegionIterArg(0);
        Value added = tries.getRegionIterArg(1);
        Value done = emitEither(
            isDone, [&] { return isDone; }, [&] { return attempt(added); });
        Value more = arith::MulFOp::create(builder, loc, added,
                                           number(rt::kDampingGrowth));
        scf::YieldOp::create(builder, loc, ValueRange{done, more});
      }
      Value isDone = tries.getResult(0);
      Value flag = arith::SelectOp::create(
          builder, loc, isDone, constantInteger(0), constantInteger(1));
      memref::StoreOp::create(builder, loc, flag, failed, ValueRange{matrix});
      emitEither(
          isDone, [&] { return no; },
          [&] {
            forEachVectorOf(start, size * size, [&](Value at, Value mask) {
              storeVector(builder, loc, zero(), target, at, mask);
            });
            return no;
          });
    });
  }

private:
  Value number(double value) { return buildConstant(builder, loc, value); }
  Value constantInteger(int32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value constantFlag(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  Value zero() {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value spread(Value scalar) {
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  }
  Value load(Value at) {
    return memref::LoadOp::create(builder, loc, target, at);
  }
  void store(Value value, Value at) {
    memref::StoreOp::create(builder, loc, value, target, at);
  }

  /// What one of the two gives.
  Value emitEither(Value condition, llvm::function_ref<Value()> then,
                   llvm::function_ref<Value()> otherwise) {
    auto yield = [&](llvm::function_ref<Value()> body) {
      return [&, body](OpBuilder &b, Location) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
        Value value = body();
        scf::YieldOp::create(builder, loc, value);
      };
    };
    return scf::IfOp::create(builder, loc, condition, yield(then),
                             yield(otherwise))
        .getResult(0);
  }

  /// Vectors of `extent` elements from `first` on.
  void forEachVectorOf(Value first, int64_t extent,
                       llvm::function_ref<void(Value at, Value mask)> body) {
    forEach(constant(0), constant(extent), lanes, [&](Value at) {
      Value mask = emitMasks(builder, loc, lanes, 1, extent, at).front();
      body(add(first, at), mask);
    });
  }

  /// Whether the matrix with `added` on its diagonal has an inverse, which is
  /// in place then.
  Value attempt(Value added) {
    Value scale = spread(weight);
    forEach(constant(0), constant(size), [&](Value row) {
      Value first = add(start, times(row, size));
      forEachVectorOf(first, size, [&](Value at, Value mask) {
        Value value = loadVector(builder, loc, type, source, at, mask);
        storeVector(builder, loc,
                    arith::MulFOp::create(builder, loc, value, scale), target,
                    at, mask);
      });
      Value diagonal = add(first, row);
      store(arith::AddFOp::create(builder, loc, load(diagonal), added),
            diagonal);
    });
    Value ofDamping =
        arith::MulFOp::create(builder, loc, added, number(rt::kLeastOfDamping));
    Value least = arith::MaximumFOp::create(builder, loc, ofDamping,
                                            number(rt::kLeastPivot));
    auto columns =
        scf::ForOp::create(builder, loc, constant(0), constant(size),
                           constant(1), ValueRange{constantFlag(true)});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(columns.getBody());
    Value column = columns.getInductionVar();
    Value row = add(start, times(column, size));
    Value pivot = load(add(row, column));
    // What the diagonal had before elimination, as it was computed then.
    Value diagonal = memref::LoadOp::create(builder, loc, source,
                                            ValueRange{add(row, column)});
    Value scaled = arith::MulFOp::create(builder, loc, diagonal, weight);
    Value damped = arith::AddFOp::create(builder, loc, scaled, added);
    least = arith::MaximumFOp::create(
        builder, loc, least,
        arith::MulFOp::create(builder, loc, damped,
                              number(rt::kLeastOfDiagonal)));
    auto compare = [&](arith::CmpFPredicate predicate, Value bound) {
      return arith::CmpFOp::create(builder, loc, predicate, pivot, bound);
    };
    Value isLarge = compare(arith::CmpFPredicate::OGE, least);
    Value isFinite = compare(
        arith::CmpFPredicate::OLT,
        arith::ConstantOp::create(
            builder, loc,
            builder.getF32FloatAttr(std::numeric_limits<float>::infinity())));
    Value isGood = arith::AndIOp::create(
        builder, loc, columns.getRegionIterArg(0),
        arith::AndIOp::create(builder, loc, isLarge, isFinite));
    Value next = emitEither(
        isGood,
        [&] {
          eliminate(column, row, pivot);
          return constantFlag(true);
        },
        [&] { return constantFlag(false); });
    scf::YieldOp::create(builder, loc, next);
    return columns.getResult(0);
  }

  /// Solves for the unknown of `column`: its row, which begins at `row`, by the
  /// pivot, and takes it away from all others.
  void eliminate(Value column, Value row, Value pivot) {
    Value inverse = arith::DivFOp::create(builder, loc, number(1.0), pivot);
    Value factor = spread(inverse);
    store(number(1.0), add(row, column));
    forEachVectorOf(row, size, [&](Value at, Value mask) {
      Value value = loadVector(builder, loc, type, target, at, mask);
      storeVector(builder, loc,
                  arith::MulFOp::create(builder, loc, value, factor), target,
                  at, mask);
    });
    auto reduce = [&](Value other) {
      Value first = add(start, times(other, size));
      Value own = add(first, column);
      Value share = spread(arith::NegFOp::create(builder, loc, load(own)));
      store(number(0.0), own);
      forEach(constant(0), constant(size), lanes, [&](Value at) {
        Value mask = emitMasks(builder, loc, lanes, 1, size, at).front();
        Value solved =
            loadVector(builder, loc, type, target, add(row, at), mask);
        Value value =
            loadVector(builder, loc, type, target, add(first, at), mask);
        storeVector(builder, loc,
                    vector::FMAOp::create(builder, loc, share, solved, value),
                    target, add(first, at), mask);
      });
    };
    forEach(constant(0), column, reduce);
    forEach(plus(column, 1), constant(size), reduce);
  }

  Value failed;
  int64_t size, lanes;
  VectorType type;
  Value source, target, weight, damping;
  Value start; ///< of the matrix at hand
};

} // namespace

void boostc::emitDampedInverse(OpBuilder &builder, Location loc,
                               const DampedInverseBuffers &buffers,
                               int64_t maxLanes, Value begin, Value end) {
  InverseEmitter(builder, loc, buffers, maxLanes).emit(begin, end);
}
