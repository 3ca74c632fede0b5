// rt.gram as loops: tiles of the Gram matrix are summed along packed columns in
// vectors.

#include "compiler/lowering/cpu/GramPacking.h"
#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

static constexpr int64_t kTileRows = kGramTileRows,
                         kTileColumns = kGramTileColumns;

static Value allocatePacked(OpBuilder &builder, Location loc,
                            const GramPlan &plan) {
  return memref::AllocaOp::create(
      builder, loc,
      MemRefType::get({plan.countPackedElements()}, builder.getF32Type()),
      builder.getI64IntegerAttr(BOOSTC_ALIGNMENT));
}

namespace {

class GramEmitter : IndexCode {
public:
  GramEmitter(OpBuilder &builder, Location loc, const GramPlan &plan,
              Value input, Value valid, Value result)
      : IndexCode(builder, loc), plan(plan), shape(plan.shape), result(result),
        type(VectorType::get({plan.lanes}, builder.getF32Type())),
        packed(allocatePacked(builder, loc, plan)),
        packing(builder, loc, plan, input, packed) {
    Value number = memref::LoadOp::create(builder, loc, valid, ValueRange());
    samples = minimum(arith::IndexCastOp::create(
                          builder, loc, builder.getIndexType(), number),
                      constant(shape.samples));
  }

  void emit(Value begin, Value end) {
    forEach(begin, end, [&](Value piece) {
      // Neighbours are of different blocks, the last of which may be small.
      stripe = quotient(piece, shape.countBlocks());
      block.number = remainder(piece, shape.countBlocks());
      block.first = times(remainder(block.number, shape.countBlocksOfGroup()),
                          shape.blockSize);
      block.present =
          minimum(constant(shape.blockSize),
                  subtract(constant(shape.countColumns()), block.first));
      forEachRow([&](Value row) {
        forEach(constant(0), plus(row, 1),
                [&](Value column) { store(zeroScalar(), row, column); });
      });
      forEachWindow([&](const GramPacking::Window &window) {
        packing.pack(block, window);
        accumulate(window);
      });
      mirror();
    });
  }

private:
  Value zeroScalar() { return buildConstant(builder, loc, 0.0); }
  Value zeroVector() {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value load(Value row, Value column) {
    return memref::LoadOp::create(builder, loc, result,
                                  ValueRange{block.number, row, column});
  }
  void store(Value value, Value row, Value column) {
    memref::StoreOp::create(builder, loc, value, result,
                            ValueRange{block.number, row, column});
  }

  /// Tiles of rows go round the stripes: each has as many long rows as short
  /// ones.
  void forEachTileRow(Value end, llvm::function_ref<void(Value)> body) {
    forEach(times(stripe, kTileRows), end, plan.stripes * kTileRows, body);
  }
  void forEachRow(llvm::function_ref<void(Value)> body) {
    Value end = constant(shape.blockSize);
    forEachTileRow(end, [&](Value row) {
      forEach(row, minimum(plus(row, kTileRows), end), body);
    });
  }

  /// The other half, which no other piece writes: what a tile of rows has of a
  /// line of memory one after the other, for lines of a column may share a few
  /// sets of a cache.
  void mirror() {
    Value end = constant(shape.blockSize);
    forEachTileRow(end, [&](Value tile) {
      Value last = minimum(plus(tile, kTileRows), end);
      forEach(constant(0), last, [&](Value column) {
        forEach(maximum(tile, plus(column, 1)), last,
                [&](Value row) { store(load(row, column), column, row); });
      });
    });
  }

  /// What is packed at once.
  void
  forEachWindow(llvm::function_ref<void(const GramPacking::Window &)> body) {
    auto atMost = [&](int64_t extent, Value end, Value from) {
      return minimum(constant(extent), subtract(end, from));
    };
    Value height = constant(shape.outputHeight);
    forEach(constant(0), samples, plan.samples, [&](Value sample) {
      Value count = atMost(plan.samples, samples, sample);
      forEach(constant(0), height, plan.rows, [&](Value row) {
        body({sample, count, row, atMost(plan.rows, height, row)});
      });
    });
  }

  /// Adds what the packed columns contribute, tile by tile up to the diagonal.
  void accumulate(const GramPacking::Window &window) {
    forEachTileRow(block.present, [&](Value row) {
      Value end = minimum(plus(row, kTileRows), block.present);
      SmallVector<Value> rowStarts = packing.locate(block, row, kTileRows);
      forEach(constant(0), end, kTileColumns, [&](Value column) {
        SmallVector<Value> starts = rowStarts;
        llvm::append_range(starts, packing.locate(block, column, kTileColumns));
        storeTile(row, column, sumTile(starts, window));
      });
    });
  }

  /// `sums` and what `body` adds for each index below `end`.
  SmallVector<Value>
  sumLoop(Value end, int64_t step, ValueRange sums,
          llvm::function_ref<SmallVector<Value>(Value index, ValueRange sums)>
              body) {
    auto loop = scf::ForOp::create(builder, loc, constant(0), end,
                                   constant(step), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return loop.getResults();
  }

  /// A tile, summed over what is packed, by lanes.
  SmallVector<Value> sumTile(ArrayRef<Value> starts,
                             const GramPacking::Window &window) {
    SmallVector<Value> zeros(kTileRows * kTileColumns, zeroVector());
    auto addProducts = [&](Value at, ValueRange sums) {
      return this->addProducts(starts, at, sums);
    };
    if (plan.isContiguous())
      return sumLoop(constant(plan.length), plan.lanes, zeros, addProducts);
    return sumLoop(window.count, 1, zeros, [&](Value n, ValueRange ofSamples) {
      Value plane = times(n, plan.lines * plan.lineLength);
      return sumLoop(window.rows, 1, ofSamples,
                     [&](Value row, ValueRange ofRows) {
                       Value line = add(plane, times(row, plan.lineLength));
                       return sumLoop(constant(shape.outputWidth), plan.lanes,
                                      ofRows, [&](Value at, ValueRange sums) {
                                        return addProducts(add(line, at), sums);
                                      });
                     });
    });
  }

  /// Adds the products of the vectors at `at` of the columns that begin at
  /// `starts`: those of rows, then those of columns of the tile.
  SmallVector<Value> addProducts(ArrayRef<Value> starts, Value at,
                                 ValueRange sums) {
    SmallVector<Value> values, result;
    for (Value start : starts)
      values.push_back(
          loadVector(builder, loc, type, packed, add(start, at), Value()));
    for (int64_t i = 0; i < kTileRows; ++i)
      for (int64_t j = 0; j < kTileColumns; ++j)
        result.push_back(vector::FMAOp::create(builder, loc, values[i],
                                               values[kTileRows + j],
                                               sums[i * kTileColumns + j]));
    return result;
  }

  /// Adds the sums of a tile across lanes to the matrix.
  void storeTile(Value row, Value column, ValueRange sums) {
    for (int64_t i = 0; i < kTileRows; ++i)
      for (int64_t j = 0; j < kTileColumns; ++j) {
        Value sum = vector::ReductionOp::create(
            builder, loc, vector::CombiningKind::ADD,
            sums[i * kTileColumns + j], arith::FastMathFlags::reassoc);
        Value at = plus(row, i), other = plus(column, j);
        Value isMine =
            arith::AndIOp::create(builder, loc, isBelow(at, block.present),
                                  isBelow(other, plus(at, 1)));
        emitIf(isMine, [&] {
          store(arith::AddFOp::create(builder, loc, load(at, other), sum), at,
                other);
        });
      }
  }

  const GramPlan &plan;
  const rt::GramShape &shape;
  Value result;
  VectorType type;
  Value packed;
  GramPacking packing;
  Value samples, stripe;
  GramBlock block; ///< of the piece at hand
};

} // namespace

OpKernel boostc::planGram(rt::GramOp op, int64_t maxLanes, int64_t threads) {
  GramPlan plan = GramPlan::get(op.getShape(), maxLanes, threads);
  int64_t pieces = plan.shape.countBlocks() * plan.stripes;
  return {.pieces = pieces,
          .workPerPiece = countIterations(op.getFlops() / 2 / pieces),
          .emit = [op, plan](OpBuilder &builder, const IRMapping &buffers,
                             Value begin, Value end) mutable {
            GramEmitter(builder, op.getLoc(), plan,
                        buffers.lookup(op.getInput()),
                        buffers.lookup(op.getValid()),
                        buffers.lookup(op.getDestination()))
                .emit(begin, end);
          }};
}
