#include "compiler/lowering/cpu/ContractionPlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace boostc;

namespace {

class ContractionEmitter {
public:
  ContractionEmitter(OpBuilder &builder, Location loc, const Contraction &c,
                     const ContractionPlan &plan)
      : builder(builder), loc(loc), c(c), plan(plan),
        vectorType(VectorType::get({plan.lanes}, builder.getF32Type())),
        masks(plan.vectors), indices(c.loops.size() + c.derived.size()) {
    a = flattenBuffer(builder, loc, c.a.buffer);
    b = flattenBuffer(builder, loc, c.b.buffer);
    result = flattenBuffer(builder, loc, c.result.buffer);
    if (c.bias)
      bias = flattenBuffer(builder, loc, c.bias.buffer);
    sumsOfA = plan.sharesA ? plan.sharesA->extent : 1;
    sumsOfB = plan.sharesB ? plan.sharesB->extent : 1;
    isSummed = plan.vectorLoop && c.loops[*plan.vectorLoop].isReduction;
    // Conditions as far out as possible; vectors innermost.
    for (bool guarded : {true, false})
      for (auto [number, loop] : llvm::enumerate(c.loops))
        if (loop.isReduction && c.isGuarded(number) == guarded &&
            number != plan.vectorLoop)
          reductions.push_back(number);
    if (isSummed)
      reductions.push_back(*plan.vectorLoop);
  }

  void emit(Value begin, Value end) {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<unsigned> order;
    if (plan.shared)
      order.push_back(*plan.shared);
    for (auto [number, loop] : llvm::enumerate(c.loops))
      if (!loop.isReduction && number != plan.shared)
        order.push_back(number);
    for (unsigned number : order) {
      int64_t tile = plan.getTile(number);
      int64_t pieces = plan.countTiles(c, number);
      if (pieces == 1) {
        indices[number] = constant(0);
        continue;
      }
      bool isShared = number == plan.shared;
      auto loop =
          scf::ForOp::create(builder, loc, isShared ? begin : constant(0),
                             isShared ? end : constant(pieces), constant(1));
      disableUnrolling(loop);
      builder.setInsertionPointToStart(loop.getBody());
      indices[number] = times(loop.getInductionVar(), tile);
    }
    if (!isSummed)
      maskTile();
    storeSums(emitReduction(0, initialSums()));
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value times(Value index, int64_t factor) {
    return factor == 1
               ? index
               : arith::MulIOp::create(builder, loc, index, constant(factor))
                     .getResult();
  }
  Value plus(Value index, int64_t term) {
    return term == 0
               ? index
               : arith::AddIOp::create(builder, loc, index, constant(term))
                     .getResult();
  }

  Value emitLinear(const LinearIndex &index) {
    return boostc::emitLinear(builder, loc, index, indices);
  }

  /// Offset of an element of the tile from its corner.
  int64_t getStep(const LinearIndex &index, int64_t first, int64_t second,
                  int64_t vector) const {
    int64_t step = 0;
    if (plan.sharesA)
      step += first * index[plan.sharesA->loop];
    if (plan.sharesB)
      step += second * index[plan.sharesB->loop];
    if (plan.vectorLoop)
      step += vector * plan.lanes * index[*plan.vectorLoop];
    return step;
  }

  /// Which lanes of each vector of the tile lie inside the vector loop.
  void maskTile() {
    if (plan.vectorLoop)
      masks = emitMasks(builder, loc, plan.lanes, plan.vectors,
                        c.loops[*plan.vectorLoop].extent,
                        indices[*plan.vectorLoop]);
  }

  /// The vector at `offset`, number `vector` along the vector loop; one element
  /// in every lane where the access does not depend on that.
  Value load(Value buffer, const LinearIndex &index, Value offset,
             int64_t vector) {
    if (plan.vectorLoop && index[*plan.vectorLoop] != 0) {
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      auto type = VectorType::get({plan.lanes}, element);
      return extend(
          loadVector(builder, loc, type, buffer, offset, masks[vector]));
    }
    Value element =
        extend(memref::LoadOp::create(builder, loc, buffer, offset));
    return vector::BroadcastOp::create(builder, loc, vectorType, element);
  }

  /// Elements of a low type as f32, which sums are of.
  Value extend(Value value) { return buildExtension(builder, loc, value); }
  /// A sum as what `result` holds.
  Value round(Value sum) {
    return buildRounding(builder, loc, sum,
                         cast<MemRefType>(result.getType()).getElementType());
  }

  SmallVector<Value> initialSums() {
    SmallVector<Value> sums;
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(vectorType));
    // Lanes that are added up in the end would count a bias once each.
    bool startsFromBias = bias && !isSummed;
    Value corner = startsFromBias ? emitLinear(c.bias.offset) : Value();
    forEachSum([&](int64_t first, int64_t second, int64_t vector) {
      if (!startsFromBias) {
        sums.push_back(zero);
        return;
      }
      int64_t step = getStep(c.bias.offset, first, second, vector);
      sums.push_back(load(bias, c.bias.offset, plus(corner, step), vector));
    });
    return sums;
  }

  template <typename Callback> void forEachSum(Callback callback) const {
    for (int64_t first = 0; first < sumsOfA; ++first)
      for (int64_t second = 0; second < sumsOfB; ++second)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          callback(first, second, vector);
  }

  /// Whether all loops that `index` is computed from have begun.
  bool isKnown(const Contraction::DerivedIndex &index) const {
    for (unsigned loop = 0; loop < c.loops.size(); ++loop)
      if (index.numerator[loop] != 0 && !indices[loop])
        return false;
    return true;
  }

  SmallVector<Value> emitReduction(unsigned level, SmallVector<Value> sums) {
    // A condition belongs around everything that is outside of its loops.
    for (auto [number, index] : llvm::enumerate(c.derived)) {
      Value &value = indices[c.loops.size() + number];
      if (!value && isKnown(index))
        return emitGuarded(index, value, level, std::move(sums));
    }
    if (level == reductions.size())
      return emitProducts(sums);
    unsigned number = reductions[level];
    int64_t extent = c.loops[number].extent;
    bool isVector = number == plan.vectorLoop;
    llvm::scope_exit forget([&] { indices[number] = Value(); });
    if (extent <= (isVector ? plan.lanes : 1)) {
      indices[number] = constant(0);
      if (isVector)
        maskTile();
      return emitReduction(level + 1, std::move(sums));
    }
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(extent),
                                   constant(isVector ? plan.lanes : 1), sums);
    disableUnrolling(loop);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    indices[number] = loop.getInductionVar();
    if (isVector)
      maskTile();
    scf::YieldOp::create(
        builder, loc,
        emitReduction(level + 1,
                      llvm::to_vector_of<Value>(loop.getRegionIterArgs())));
    return loop.getResults();
  }

  SmallVector<Value> emitGuarded(const Contraction::DerivedIndex &index,
                                 Value &value, unsigned level,
                                 SmallVector<Value> sums) {
    Value numerator = emitLinear(index.numerator), isExact;
    Value quotient = numerator;
    if (index.divisor != 1) {
      // Exact divisions only: how others are rounded does not matter.
      quotient = arith::DivSIOp::create(builder, loc, numerator,
                                        constant(index.divisor));
      isExact =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                times(quotient, index.divisor), numerator);
    }
    // Unsigned: negative numbers are large.
    Value isInside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, quotient,
                              constant(index.extent));
    if (isExact)
      isInside = arith::AndIOp::create(builder, loc, isExact, isInside);
    auto branch = scf::IfOp::create(builder, loc, ValueRange(sums).getTypes(),
                                    isInside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
    builder.setInsertionPointToStart(branch.thenBlock());
    value = quotient;
    scf::YieldOp::create(builder, loc, emitReduction(level, std::move(sums)));
    value = Value();
    return branch.getResults();
  }

  SmallVector<Value> emitProducts(ArrayRef<Value> sums) {
    Value cornerOfA = emitLinear(c.a.offset),
          cornerOfB = emitLinear(c.b.offset);
    llvm::DenseMap<int64_t, Value> loadsOfA, loadsOfB;
    auto loadOnce = [&](llvm::DenseMap<int64_t, Value> &loads, Value buffer,
                        const LinearIndex &index, Value corner, int64_t step,
                        int64_t vector) {
      Value &value = loads[step];
      if (!value)
        value = load(buffer, index, plus(corner, step), vector);
      return value;
    };
    SmallVector<Value> next;
    forEachSum([&](int64_t first, int64_t second, int64_t vector) {
      Value x = loadOnce(loadsOfA, a, c.a.offset, cornerOfA,
                         getStep(c.a.offset, first, second, vector), vector);
      Value y = loadOnce(loadsOfB, b, c.b.offset, cornerOfB,
                         getStep(c.b.offset, first, second, vector), vector);
      next.push_back(
          vector::FMAOp::create(builder, loc, x, y, sums[next.size()]));
    });
    return next;
  }

  void storeSums(ArrayRef<Value> sums) {
    Value corner = emitLinear(c.result.offset);
    unsigned number = 0;
    forEachSum([&](int64_t first, int64_t second, int64_t vector) {
      Value sum = sums[number++];
      Value at = plus(corner, getStep(c.result.offset, first, second, vector));
      if (plan.vectorLoop && !isSummed) {
        storeVector(builder, loc, round(sum), result, at, masks[vector]);
        return;
      }
      // Scalar code has one lane.
      Value total = vector::ReductionOp::create(
          builder, loc, vector::CombiningKind::ADD, sum);
      if (bias && isSummed) {
        Value offset = plus(emitLinear(c.bias.offset),
                            getStep(c.bias.offset, first, second, vector));
        Value term = extend(memref::LoadOp::create(builder, loc, bias, offset));
        total = arith::AddFOp::create(builder, loc, total, term);
      }
      memref::StoreOp::create(builder, loc, round(total), result, at);
    });
  }

  OpBuilder &builder;
  Location loc;
  const Contraction &c;
  const ContractionPlan &plan;
  VectorType vectorType;
  Value a, b, bias, result;
  int64_t sumsOfA, sumsOfB;         ///< extents of the tile
  bool isSummed;                    ///< is the vector loop a reduction?
  SmallVector<unsigned> reductions; ///< outermost first
  SmallVector<Value> masks;         ///< of a tile's vectors; null: all lanes
  /// Values of loops, then of derived indices; null outside their scope.
  SmallVector<Value> indices;
};

} // namespace

void boostc::emitContraction(OpBuilder &builder, Location loc,
                             const Contraction &contraction,
                             const ContractionPlan &plan, Value begin,
                             Value end) {
  ContractionEmitter(builder, loc, contraction, plan).emit(begin, end);
}
