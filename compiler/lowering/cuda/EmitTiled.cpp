// A block of a tiled contraction: see SharedMemoryTiling.h.

#include "compiler/lowering/cuda/ContractionBody.h"
#include "compiler/lowering/cuda/GridCode.h"
#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

namespace {

class TiledEmitter : GridCode {
public:
  TiledEmitter(OpBuilder &builder, Location loc, const GridNest &nest,
               Value memory)
      : GridCode(builder, loc, nest), tiling(*plan.tiling),
        contraction(static_cast<ContractionBody &>(body)), memory(memory),
        row{tiling.rows, 0},
        column{tiling.columns, tiling.slice * tiling.rows.getPitch()} {}

  void emit(Value block, Value thread) {
    OpBuilder::InsertionGuard guard(builder);
    locate(block, thread);
    int64_t slices = tiling.countSlices();
    storeSlice(loadSlice(constant(0)), constant(0));
    gpu::BarrierOp::create(builder, loc);
    SmallVector<Value> sums(tiling.rows.perThread * tiling.columns.perThread,
                            body.emitNeutral(builder, 0));
    sums = emitLoop(
        constant(0), constant(slices), 1, sums,
        [&](Value slice, ValueRange sums) { return addSlice(slice, sums); });
    emitOutputs(sums);
  }

private:
  /// What a thread reads at once.
  struct Piece {
    Value term, position; ///< in the slice, in the tile
  };
  /// A thread's position along a side.
  struct SidePosition {
    const TiledSide &side;
    int64_t start;     ///< of the side in a slice
    Value first = {};  ///< of the tile
    Value thread = {}; ///< among the threads of that side
    SmallVector<Piece> pieces = {};
  };

  /// Which tile, and which part of it.
  void locate(Value block, Value thread) {
    int64_t columnTiles = tiling.columns.countTiles();
    int64_t rowTiles = tiling.rows.countTiles();
    column.first = multiply(remainder(block, columnTiles), tiling.columns.tile);
    Value rest = divide(block, columnTiles);
    row.first = multiply(remainder(rest, rowTiles), tiling.rows.tile);
    indices.assign(indices.size(), constant(0));
    decode(divide(rest, rowTiles), tiling.separate);

    Value lane = remainder(thread, kWarpThreads);
    Value warp = divide(thread, kWarpThreads);
    int64_t warpColumns = tiling.columns.countThreads() / kLaneColumns;
    column.thread = add(multiply(remainder(warp, warpColumns), kLaneColumns),
                        remainder(lane, kLaneColumns));
    row.thread = add(multiply(divide(warp, warpColumns), kLaneRows),
                     divide(lane, kLaneColumns));
    row.pieces = getPieces(tiling.rows, thread);
    column.pieces = getPieces(tiling.columns, thread);
  }

  //===--- from memory to shared memory -----------------------------------===//

  /// The pieces of a side's slice that this thread reads.
  SmallVector<Piece> getPieces(const TiledSide &side, Value thread) {
    SmallVector<Piece> pieces;
    int64_t count = side.tile * tiling.slice / side.width;
    for (int64_t first = 0; first < count; first += kBlockThreads) {
      Value number = add(thread, constant(first));
      if (!side.readsAlongTerms) {
        int64_t perTerm = side.tile / side.width;
        pieces.push_back({divide(number, perTerm),
                          multiply(remainder(number, perTerm), side.width)});
        continue;
      }
      // 32 bytes of each row: what memory hands out at least.
      int64_t near = 8 / side.width;
      Value far = divide(number, near * side.tile);
      Value term = add(multiply(far, near), remainder(number, near));
      pieces.push_back({multiply(term, side.width),
                        remainder(divide(number, near), side.tile)});
    }
    return pieces;
  }

  /// What this thread reads of the terms from `firstTerm` on.
  SmallVector<Value> loadSlice(Value firstTerm) {
    SmallVector<Value> values;
    SmallVector<Value> outer = indices;
    for (const SidePosition *along : {&row, &column})
      for (const Piece &piece : along->pieces) {
        const TiledSide &side = along->side;
        Value position = add(along->first, piece.position);
        Value term = add(firstTerm, piece.term);
        Value isInside;
        auto require = [&](Value at, int64_t extent, int64_t step) {
          if (extent % step == 0)
            return;
          isInside =
              emitBoth(builder, loc, isInside, isBelow(at, constant(extent)));
        };
        require(position, side.extent, side.tile);
        require(term, tiling.termsExtent, tiling.slice);
        indices = outer;
        decode(position, side.loops);
        decode(term, tiling.terms);
        values.push_back(
            contraction.emitFactor(builder, side, indices, isInside));
      }
    indices = outer;
    return values;
  }

  void storeSlice(ArrayRef<Value> values, Value slice) {
    for (const SidePosition *along : {&row, &column})
      for (const Piece &piece : along->pieces) {
        const TiledSide &side = along->side;
        Value value = values.front();
        values = values.drop_front();
        Value at =
            add(add(slice, constant(along->start)),
                add(multiply(piece.term, side.getPitch()), piece.position));
        if (side.width == 1) {
          memref::StoreOp::create(builder, loc, value, memory, at);
        } else if (!side.readsAlongTerms) {
          vector::StoreOp::create(builder, loc, value, memory, at, false,
                                  llvm::Align(4 * side.width));
        } else {
          for (int64_t i = 0; i < side.width; ++i)
            memref::StoreOp::create(
                builder, loc, vector::ExtractOp::create(builder, loc, value, i),
                memory, add(at, constant(i * side.getPitch())));
        }
      }
  }

  //===--- from shared memory to sums -------------------------------------===//

  /// Adds the terms of slice `number`, while the next one is on its way.
  SmallVector<Value> addSlice(Value number, ValueRange sums) {
    Value size = constant(tiling.getSliceElements());
    Value isOdd = remainder(number, 2);
    Value current = arith::MulIOp::create(builder, loc, isOdd, size);
    Value other = arith::SubIOp::create(builder, loc, size, current);
    Value next = add(number, constant(1));
    Value isThere = isBelow(next, constant(tiling.countSlices()));

    SmallVector<Value> none;
    for (const SidePosition *along : {&row, &column})
      none.append(along->pieces.size(),
                  contraction.emitZero(builder, along->side.width));
    SmallVector<Value> values =
        emitWhere(builder, loc, isThere, none, [&](OpBuilder &) {
          return loadSlice(multiply(next, tiling.slice));
        });
    SmallVector<Value> added =
        emitLoop(constant(0), constant(tiling.slice), 1, sums,
                 [&](Value term, ValueRange inner) {
                   return addTerm(term, current, inner);
                 });
    // Who reads the other slice has met this thread since.
    storeSlice(values, other);
    gpu::BarrierOp::create(builder, loc);
    return added;
  }

  SmallVector<Value> addTerm(Value term, Value slice, ValueRange sums) {
    SmallVector<Value> ofRows = readFragments(row, term, slice);
    SmallVector<Value> ofColumns = readFragments(column, term, slice);
    SmallVector<Value> next;
    for (Value a : ofRows)
      for (Value b : ofColumns)
        next.push_back(
            contraction.emitProduct(builder, a, b, sums[next.size()]));
    return next;
  }

  /// A thread's elements of a side in a term. It has several groups of
  /// neighbours, which lie side by side with those of other threads.
  SmallVector<Value> readFragments(const SidePosition &along, Value term,
                                   Value slice) {
    const TiledSide &side = along.side;
    SmallVector<Value> elements;
    Value start = add(add(slice, constant(along.start)),
                      add(multiply(term, side.getPitch()),
                          multiply(along.thread, side.getFragment())));
    auto type = VectorType::get(side.getFragment(), builder.getF32Type());
    for (int64_t i = 0; i < side.perThread; i += side.getFragment()) {
      Value at = add(start, constant(i * side.countThreads()));
      Value vector =
          vector::LoadOp::create(builder, loc, type, memory, at, false,
                                 llvm::Align(4 * side.getFragment()));
      for (int64_t e = 0; e < side.getFragment(); ++e)
        elements.push_back(vector::ExtractOp::create(builder, loc, vector, e));
    }
    return elements;
  }

  //===--- from sums to memory --------------------------------------------===//

  /// Calls `action` with the number of each row or column of a thread, when its
  /// indices are set; where it may lie outside, under a condition.
  void forEachOwned(const SidePosition &along,
                    llvm::function_ref<void(int64_t)> action) {
    const TiledSide &side = along.side;
    bool isRagged = side.extent % side.tile != 0;
    // Groups of neighbours are wholly inside or outside, or are cut up.
    int64_t group = side.getFragment(), inner = side.loops.back();
    int64_t together = isRagged && side.extent % group != 0 ? 1 : group;
    // Most are neighbours along one loop.
    bool isRun = body.loops[inner].extent % together == 0;
    for (int64_t i = 0; i < side.perThread; i += together) {
      OpBuilder::InsertionGuard guard(builder);
      int64_t others = i / group * group;
      Value position = add(add(along.first, multiply(along.thread, group)),
                           constant(others * side.countThreads() + i - others));
      if (isRagged)
        builder.setInsertionPointToStart(
            ifTrue(isBelow(position, constant(side.extent))));
      decode(position, side.loops);
      Value first = indices[inner];
      for (int64_t j = 0; j < together; ++j) {
        if (j > 0 && isRun)
          indices[inner] = add(first, constant(j));
        else if (j > 0)
          decode(add(position, constant(j)), side.loops);
        action(i + j);
      }
    }
  }

  void emitOutputs(ArrayRef<Value> sums) {
    forEachOwned(row, [&](int64_t i) {
      forEachOwned(column, [&](int64_t j) {
        emitOutput(sums[i * tiling.columns.perThread + j]);
      });
    });
  }

  void emitOutput(Value sum) {
    emitMembers(0, nest.main);
    Value start = body.emitStart(builder, indices).front();
    body.emitStores(builder, indices,
                    body.emitCombined(builder, 0, start, sum));
    emitMembers(nest.main + 1, nest.members.size());
  }

  const SharedMemoryTiling &tiling;
  ContractionBody &contraction;
  Value memory; ///< two slices
  SidePosition row, column;
};

} // namespace

void boostc::emitTiled(OpBuilder &builder, Location loc, const GridNest &nest,
                       Value memory, Value block, Value thread) {
  TiledEmitter(builder, loc, nest, memory).emit(block, thread);
}
