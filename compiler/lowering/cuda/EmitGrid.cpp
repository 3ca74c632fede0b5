#include "compiler/lowering/cuda/GridCode.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

namespace {

class GridEmitter : GridCode {
public:
  GridEmitter(OpBuilder &builder, gpu::GPUFuncOp kernel, Location loc,
              const GridNest &nest)
      : GridCode(builder, loc, nest), kernel(kernel) {}

  void emit(Value block, Value thread, Value items) {
    OpBuilder::InsertionGuard guard(builder);
    Value item = block;
    if (plan.lanes < kBlockThreads) {
      item = add(multiply(block, kBlockThreads), thread);
      if (plan.lanes > 1)
        item = divide(item, plan.lanes);
    }
    lane = plan.lanes == kBlockThreads ? thread
           : plan.lanes > 1            ? remainder(thread, plan.lanes)
                                       : Value();
    if (!items && plan.items % plan.getItemsPerBlock() != 0)
      items = constant(plan.items);
    if (items)
      builder.setInsertionPointToStart(ifTrue(isBelow(item, items)));
    decode(item, plan.parallel);

    SmallVector<SmallVector<Value>> starts;
    auto emitStarts = [&] {
      forEachOfTile([&] {
        emitMembers(0, nest.main);
        starts.push_back(body.emitStart(builder, indices));
      });
    };
    SmallVector<Value> values;
    if (!lane) {
      emitStarts();
      for (ArrayRef<Value> start : starts)
        llvm::append_range(values, start);
      outputs = starts.front().size();
      values = reduce(plan.reductions, values);
    } else {
      outputs = body.countOutputs();
      forEachOfTile([&] {
        for (size_t output = 0; output < outputs; ++output)
          values.push_back(body.emitNeutral(builder, output));
      });
      values = combineLanes(reduceShared(values));
      builder.setInsertionPointToStart(ifTrue(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, lane, constant(0))));
      emitStarts();
      for (auto [i, value] : llvm::enumerate(values))
        value = body.emitCombined(builder, i % outputs,
                                  starts[i / outputs][i % outputs], value);
    }
    size_t element = 0;
    forEachOfTile([&] {
      body.emitStores(builder, indices,
                      ArrayRef(values).slice(element, outputs));
      element += outputs;
      emitMembers(nest.main + 1, nest.members.size());
    });
  }

private:
  /// Calls `action` with the indices of each output of the tile in turn.
  void forEachOfTile(llvm::function_ref<void()> action) {
    SmallVector<Value> corner = indices;
    SmallVector<int64_t> at(indices.size(), 0);
    while (true) {
      for (unsigned loop : plan.parallel)
        indices[loop] = at[loop] == 0 ? corner[loop]
                                      : add(corner[loop], constant(at[loop]));
      action();
      unsigned moved = plan.parallel.size();
      while (moved > 0 && ++at[plan.parallel[moved - 1]] ==
                              plan.tile[plan.parallel[moved - 1]])
        at[plan.parallel[--moved]] = 0;
      if (moved == 0)
        break;
    }
    for (unsigned loop : plan.parallel)
      indices[loop] = corner[loop];
  }

  SmallVector<Value> step(ValueRange values) {
    SmallVector<Value> next;
    size_t element = 0;
    forEachOfTile([&] {
      llvm::append_range(next, body.emitStep(builder, indices,
                                             values.slice(element, outputs)));
      element += outputs;
    });
    return next;
  }

  /// One loop inside the other.
  SmallVector<Value> reduce(ArrayRef<unsigned> loops, ValueRange values) {
    if (loops.empty())
      return step(values);
    unsigned number = loops.front();
    return emitLoop(constant(0), constant(body.loops[number].extent), 1, values,
                    [&](Value index, ValueRange inner) {
                      indices[number] = index;
                      return reduce(loops.drop_front(), inner);
                    });
  }

  /// Every lane takes every lanes-th term of all loops as one.
  SmallVector<Value> reduceShared(ValueRange values) {
    int64_t terms = 1;
    for (unsigned loop : plan.reductions)
      terms *= body.loops[loop].extent;
    return emitLoop(lane, constant(terms), plan.lanes, values,
                    [&](Value term, ValueRange inner) {
                      decode(term, plan.reductions);
                      return step(inner);
                    });
  }

  /// The sum of the lanes' partial sums, in lane 0.
  SmallVector<Value> combineLanes(ArrayRef<Value> parts) {
    SmallVector<Value> totals;
    for (auto [i, part] : llvm::enumerate(parts))
      totals.push_back(combineWarp(i % outputs, part, kWarpThreads));
    if (plan.lanes == kWarpThreads)
      return totals;
    // The first lane of each warp leaves its partial sum, the first warp takes
    // them all.
    constexpr int64_t kWarps = kBlockThreads / kWarpThreads;
    SmallVector<Value> shared;
    for (Value total : totals)
      shared.push_back(addSharedMemory(kernel, loc, kWarps, total.getType()));
    {
      OpBuilder::InsertionGuard guard(builder);
      Value number = divide(lane, kWarpThreads);
      builder.setInsertionPointToStart(ifTrue(
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                remainder(lane, kWarpThreads), constant(0))));
      for (auto [total, place] : llvm::zip_equal(totals, shared))
        memref::StoreOp::create(builder, loc, total, place, number);
    }
    gpu::BarrierOp::create(builder, loc);
    for (auto [i, total] : llvm::enumerate(totals)) {
      total = Value();
      for (int64_t warp = 0; warp < kWarps; ++warp) {
        Value part = memref::LoadOp::create(builder, loc, shared[i],
                                            ValueRange{constant(warp)});
        total =
            total ? body.emitCombined(builder, i % outputs, total, part) : part;
      }
    }
    return totals;
  }

  /// The sum over `width` neighbouring lanes, in each of them.
  Value combineWarp(unsigned output, Value value, int64_t width) {
    for (int64_t distance = width / 2; distance > 0; distance /= 2) {
      auto other = gpu::ShuffleOp::create(
          builder, loc, value, static_cast<int32_t>(distance),
          static_cast<int32_t>(kWarpThreads), gpu::ShuffleMode::XOR);
      value =
          body.emitCombined(builder, output, value, other.getShuffleResult());
    }
    return value;
  }

  gpu::GPUFuncOp kernel;
  Value lane;         ///< none: a thread has a tile of its own
  size_t outputs = 0; ///< of one element of the tile
};

} // namespace

void boostc::emitGrid(OpBuilder &builder, gpu::GPUFuncOp kernel, Location loc,
                      const GridNest &nest, Value memory, Value block,
                      Value thread, Value items) {
  if (nest.plan.tiling)
    return emitTiled(builder, loc, nest, memory, block, thread);
  if (nest.plan.blocks > 0)
    return nest.getMain().emitBlock(builder, kernel, block, thread);
  GridEmitter(builder, kernel, loc, nest).emit(block, thread, items);
}
