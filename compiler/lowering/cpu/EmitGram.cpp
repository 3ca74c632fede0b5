// rt.gram as loops. Columns of a block are packed, each contiguous, for as many
// windows as stay in a cache; tiles of the Gram matrix are summed along them in
// vectors.

#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

/// Elements of the Gram matrix that are summed at once, in registers: so many
/// rows and columns.
static constexpr int64_t kTileRows = 4, kTileColumns = 3;

/// Elements of a packed column, and of all packed columns.
static constexpr int64_t kColumnLength = 512, kPackedElements = 1 << 16;

static int64_t countPackedColumns(const rt::GramShape &shape) {
  return static_cast<int64_t>(
      llvm::alignTo(shape.blockSize, kTileRows * kTileColumns));
}

namespace {
struct GramPlan {
  rt::GramShape shape;
  int64_t lanes;         ///< of vectors
  int64_t samples, rows; ///< of output pixels that are packed together
  int64_t columnLength;  ///< of a packed column: whole vectors
  int64_t stripes;       ///< pieces of a block
};
} // namespace

/// A stripe packs its block again, so `threads` of them only where there are
/// few blocks.
static GramPlan makePlan(const rt::GramShape &shape, int64_t maxLanes,
                         int64_t threads) {
  GramPlan plan{.shape = shape};
  int64_t pixels = shape.getPixels();
  plan.lanes = chooseLanes(shape.samples * pixels, maxLanes);
  int64_t length = std::clamp(kPackedElements / countPackedColumns(shape),
                              4 * plan.lanes, kColumnLength);
  plan.samples = std::clamp<int64_t>(length / pixels, 1, shape.samples);
  plan.rows = plan.samples > 1 ? shape.outputHeight
                               : std::clamp<int64_t>(length / shape.outputWidth,
                                                     1, shape.outputHeight);
  plan.columnLength = static_cast<int64_t>(
      llvm::alignTo(plan.samples * plan.rows * shape.outputWidth, plan.lanes));
  int64_t tiles = shape.blockSize / kTileRows;
  plan.stripes =
      shape.countBlocks() < 4 * threads
          ? std::clamp<int64_t>(threads, 1, std::max<int64_t>(tiles / 4, 1))
          : 1;
  return plan;
}

namespace {

class GramEmitter : IndexCode {
public:
  GramEmitter(OpBuilder &builder, Location loc, const GramPlan &plan,
              Value input, Value valid, Value result)
      : IndexCode(builder, loc), plan(plan), shape(plan.shape), input(input),
        result(result),
        type(VectorType::get({plan.lanes}, builder.getF32Type())),
        columns(countPackedColumns(shape)) {
    packed = memref::AllocaOp::create(
        builder, loc,
        MemRefType::get({columns * plan.columnLength}, builder.getF32Type()),
        builder.getI64IntegerAttr(BOOSTC_ALIGNMENT));
    Value number = memref::LoadOp::create(builder, loc, valid, ValueRange());
    samples = minimum(arith::IndexCastOp::create(
                          builder, loc, builder.getIndexType(), number),
                      constant(shape.samples));
  }

  void emit(Value begin, Value end) {
    forEach(begin, end, [&](Value piece) {
      // Neighbours are of different blocks, the last of which may be small.
      stripe = quotient(piece, shape.countBlocks());
      block = remainder(piece, shape.countBlocks());
      first =
          times(remainder(block, shape.countBlocksOfGroup()), shape.blockSize);
      present = minimum(constant(shape.blockSize),
                        subtract(constant(shape.countColumns()), first));
      forEachRow([&](Value row) {
        forEach(constant(0), plus(row, 1),
                [&](Value column) { store(zeroScalar(), row, column); });
      });
      forEach(constant(0), samples, plan.samples, [&](Value sample) {
        Value count =
            minimum(constant(plan.samples), subtract(samples, sample));
        forEach(constant(0), constant(shape.outputHeight), plan.rows,
                [&](Value row) {
                  Value rows =
                      minimum(constant(plan.rows),
                              subtract(constant(shape.outputHeight), row));
                  pack(sample, count, row, rows);
                  accumulate();
                });
      });
      // The other half, which no other piece writes.
      forEachRow([&](Value row) {
        forEach(constant(0), row,
                [&](Value column) { store(load(row, column), column, row); });
      });
    });
  }

private:
  Value zeroScalar() { return buildConstant(builder, loc, 0.0); }
  Value zeroVector() {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value load(Value row, Value column) {
    return memref::LoadOp::create(builder, loc, result,
                                  ValueRange{block, row, column});
  }
  void store(Value value, Value row, Value column) {
    memref::StoreOp::create(builder, loc, value, result,
                            ValueRange{block, row, column});
  }
  Value isBelow(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, b);
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

  /// Where a tap is: the input pixel that output pixel 0 sees there, and the
  /// output pixels that see the input.
  struct Axis {
    Value offset;
    Range pixels;
  };
  Axis getAxis(unsigned axis, Value tap, int64_t extent, int64_t output) {
    const ConvolutionGeometry &geometry = shape.geometry;
    int64_t before = geometry.padding[axis], after = geometry.padding[axis + 2];
    Value offset = plus(times(tap, geometry.dilations[axis]), -before);
    if (before == 0 && after == 0)
      return {offset, {constant(0), constant(output)}};
    return {offset, solve(offset, geometry.strides[axis], extent, output)};
  }

  /// Copies all columns of the block, for `count` samples from `sample` on and
  /// `rows` rows of output pixels from `row` on.
  void pack(Value sample, Value count, Value row, Value rows) {
    int64_t perGroup = shape.countBlocksOfGroup(), taps = shape.getTaps();
    int64_t channels = shape.channels / shape.geometry.groups;
    Value group = quotient(block, perGroup);
    // Up to whole tiles, whose other columns are zeros.
    Value last =
        minimum(constant(columns), plus(present, kTileRows * kTileColumns - 1));
    forEach(constant(0), last, [&](Value column) {
      Value start = times(column, plan.columnLength);
      forEach(constant(0), constant(plan.columnLength), plan.lanes,
              [&](Value at) {
                storeVector(builder, loc, zeroVector(), packed, add(start, at),
                            Value());
              });
      Value number = add(first, column);
      emitIf(isBelow(column, present), [&] {
        Value channel = add(times(group, channels), quotient(number, taps));
        Value tap = remainder(number, taps);
        Axis y = getAxis(0, quotient(tap, shape.kernel[1]), shape.height,
                         shape.outputHeight);
        Axis x = getAxis(1, remainder(tap, shape.kernel[1]), shape.width,
                         shape.outputWidth);
        Range inside = intersect({row, add(row, rows)}, y.pixels);
        forEach(constant(0), count, [&](Value n) {
          Value lines = arith::MulIOp::create(builder, loc, n, rows);
          forEach(inside.begin, inside.end, [&](Value i) {
            Value line = add(lines, subtract(i, row));
            Value target = add(start, times(line, shape.outputWidth));
            Value inputRow = add(times(i, shape.geometry.strides[0]), y.offset);
            forEach(x.pixels.begin, x.pixels.end, [&](Value j) {
              Value pixel = add(times(j, shape.geometry.strides[1]), x.offset);
              memref::StoreOp::create(
                  builder, loc,
                  loadPixel(add(sample, n), channel, inputRow, pixel), packed,
                  ValueRange{add(target, j)});
            });
          });
        });
      });
    });
  }

  Value loadPixel(Value sample, Value channel, Value y, Value x) {
    SmallVector<Value> indices = {sample, channel, y, x};
    if (shape.channelsLast)
      indices = {sample, y, x, channel};
    return buildExtension(builder, loc,
                          memref::LoadOp::create(builder, loc, input, indices));
  }

  /// Adds what the packed columns contribute, tile by tile up to the diagonal.
  void accumulate() {
    forEachTileRow(present, [&](Value row) {
      Value end = minimum(plus(row, kTileRows), present);
      forEach(constant(0), end, kTileColumns,
              [&](Value column) { addTile(row, column); });
    });
  }

  void addTile(Value row, Value column) {
    SmallVector<Value> starts, zeros(kTileRows * kTileColumns, zeroVector());
    for (int64_t i = 0; i < kTileRows; ++i)
      starts.push_back(times(plus(row, i), plan.columnLength));
    for (int64_t j = 0; j < kTileColumns; ++j)
      starts.push_back(times(plus(column, j), plan.columnLength));
    auto loop = scf::ForOp::create(builder, loc, constant(0),
                                   constant(plan.columnLength),
                                   constant(plan.lanes), zeros);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> values, sums;
      for (Value start : starts)
        values.push_back(loadVector(builder, loc, type, packed,
                                    add(start, loop.getInductionVar()),
                                    Value()));
      for (int64_t i = 0; i < kTileRows; ++i)
        for (int64_t j = 0; j < kTileColumns; ++j)
          sums.push_back(vector::FMAOp::create(
              builder, loc, values[i], values[kTileRows + j],
              loop.getRegionIterArg(i * kTileColumns + j)));
      scf::YieldOp::create(builder, loc, sums);
    }
    for (int64_t i = 0; i < kTileRows; ++i)
      for (int64_t j = 0; j < kTileColumns; ++j) {
        Value sum = vector::ReductionOp::create(
            builder, loc, vector::CombiningKind::ADD,
            loop.getResult(i * kTileColumns + j),
            arith::FastMathFlags::reassoc);
        Value at = plus(row, i), other = plus(column, j);
        Value isMine = arith::AndIOp::create(builder, loc, isBelow(at, present),
                                             isBelow(other, plus(at, 1)));
        emitIf(isMine, [&] {
          store(arith::AddFOp::create(builder, loc, load(at, other), sum), at,
                other);
        });
      }
  }

  const GramPlan &plan;
  const rt::GramShape &shape;
  Value input, result;
  VectorType type;
  int64_t columns; ///< that are packed, some of them zeros
  Value packed, samples;
  // The block of the piece at hand, that block's first column and the number of
  // its columns.
  Value block, stripe, first, present;
};

} // namespace

OpKernel boostc::planGram(rt::GramOp op, int64_t maxLanes, int64_t threads) {
  GramPlan plan = makePlan(op.getShape(), maxLanes, threads);
  int64_t pieces = plan.shape.countBlocks() * plan.stripes;
  return {.pieces = pieces,
          .workPerPiece = op.getFlops() / 2 / pieces,
          .emit = [op, plan](OpBuilder &builder, const IRMapping &buffers,
                             Value begin, Value end) mutable {
            GramEmitter(builder, op.getLoc(), plan,
                        buffers.lookup(op.getInput()),
                        buffers.lookup(op.getValid()),
                        buffers.lookup(op.getDestination()))
                .emit(begin, end);
          }};
}
