// Inverses of damped matrices: a block of threads for each, which share its
// columns. Gauss-Jordan elimination as on a CPU.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/rt/DampedInverse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

namespace {

/// The code of one block.
class BlockEmitter {
public:
  BlockEmitter(OpBuilder &builder, Location loc, Value thread, int64_t size,
               Value matrices, Value inverses, Value matrix)
      : builder(builder), loc(loc), thread(thread), size(size),
        source(matrices), target(inverses), matrix(matrix) {}

  /// Returns whether there is an inverse.
  Value emit(gpu::GPUFuncOp kernel, Value weight, Value damping) {
    // LLVM may read three neighbours as four. All of them hold numbers.
    auto places = static_cast<int64_t>(llvm::alignTo(size, 4));
    column = addSharedMemory(kernel, loc, places, builder.getF32Type());
    forEach(thread, constant(places), kBlockThreads, [&](Value place) {
      memref::StoreOp::create(builder, loc, number(0.0), column, place);
    });
    auto tries = scf::ForOp::create(builder, loc, constant(0),
                                    constant(rt::kDampingTries), constant(1),
                                    ValueRange{flag(false), damping});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(tries.getBody());
      Value isDone = tries.getRegionIterArg(0);
      Value added = tries.getRegionIterArg(1);
      Value done =
          emitIf(isDone, false, [&] { return attempt(weight, added); });
      Value result = arith::OrIOp::create(builder, loc, isDone, done);
      Value more = arith::MulFOp::create(builder, loc, added,
                                         number(rt::kDampingGrowth));
      scf::YieldOp::create(builder, loc, ValueRange{result, more});
    }
    Value isDone = tries.getResult(0);
    emitIf(isDone, false, [&] {
      forEachElement([&](Value row, Value at) { store(number(0.0), row, at); });
      return flag(false);
    });
    return isDone;
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value number(double value) { return buildConstant(builder, loc, value); }
  Value flag(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  Value load(Value buffer, Value row, Value at) {
    return memref::LoadOp::create(builder, loc, buffer,
                                  ValueRange{matrix, row, at});
  }
  void store(Value value, Value row, Value at) {
    memref::StoreOp::create(builder, loc, value, target,
                            ValueRange{matrix, row, at});
  }
  void wait() { gpu::BarrierOp::create(builder, loc); }

  /// What `body` gives where `condition` is as wanted, else false. All threads
  /// of the block have the same condition, so `body` may wait for them.
  Value emitIf(Value condition, bool wanted, llvm::function_ref<Value()> body) {
    if (!wanted)
      condition = arith::XOrIOp::create(builder, loc, condition, flag(true));
    auto choice = scf::IfOp::create(builder, loc, builder.getI1Type(),
                                    condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    Value value = body();
    scf::YieldOp::create(builder, loc, value);
    builder.setInsertionPointToStart(choice.elseBlock());
    Value no = flag(false);
    scf::YieldOp::create(builder, loc, no);
    return choice.getResult(0);
  }

  void forEach(Value begin, Value end, int64_t step,
               llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  /// What this thread has of a row or a column.
  void forEachShare(llvm::function_ref<void(Value)> body) {
    forEach(thread, constant(size), kBlockThreads, body);
  }
  void forEachElement(llvm::function_ref<void(Value row, Value at)> body) {
    forEachShare([&](Value at) {
      forEach(constant(0), constant(size), 1,
              [&](Value row) { body(row, at); });
    });
  }

  Value attempt(Value weight, Value added) {
    wait();
    forEachElement([&](Value row, Value at) {
      Value scaled =
          arith::MulFOp::create(builder, loc, load(source, row, at), weight);
      Value damped = arith::AddFOp::create(builder, loc, scaled, added);
      store(arith::SelectOp::create(builder, loc, isEqual(row, at), damped,
                                    scaled),
            row, at);
    });
    wait();
    Value ofDamping =
        arith::MulFOp::create(builder, loc, added, number(rt::kLeastOfDamping));
    Value least = arith::MaximumFOp::create(builder, loc, ofDamping,
                                            number(rt::kLeastPivot));
    auto columns = scf::ForOp::create(builder, loc, constant(0), constant(size),
                                      constant(1), ValueRange{flag(true)});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(columns.getBody());
    Value k = columns.getInductionVar();
    Value pivot = load(target, k, k);
    // What the diagonal had before elimination, as it was computed then.
    Value scaled =
        arith::MulFOp::create(builder, loc, load(source, k, k), weight);
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
    Value isGood = arith::AndIOp::create(builder, loc, isLarge, isFinite);
    isGood = arith::AndIOp::create(builder, loc, columns.getRegionIterArg(0),
                                   isGood);
    Value next = emitIf(isGood, true, [&] {
      eliminate(k, pivot);
      return flag(true);
    });
    scf::YieldOp::create(builder, loc, next);
    return columns.getResult(0);
  }

  /// As on a CPU: row k by the pivot, and taken away from the others. A thread
  /// changes whole columns; it reads column k from a copy.
  void eliminate(Value k, Value pivot) {
    forEachShare([&](Value row) {
      memref::StoreOp::create(builder, loc, load(target, row, k), column, row);
    });
    wait();
    Value inverse = arith::DivFOp::create(builder, loc, number(1.0), pivot);
    forEachShare([&](Value at) {
      Value isOwn = isEqual(at, k);
      Value old = arith::SelectOp::create(builder, loc, isOwn, number(1.0),
                                          load(target, k, at));
      Value solved = arith::MulFOp::create(builder, loc, old, inverse);
      forEach(constant(0), constant(size), 1, [&](Value row) {
        Value share = memref::LoadOp::create(builder, loc, column, row);
        Value value = arith::SelectOp::create(builder, loc, isOwn, number(0.0),
                                              load(target, row, at));
        Value product = arith::MulFOp::create(builder, loc, share, solved);
        Value reduced = arith::SubFOp::create(builder, loc, value, product);
        store(arith::SelectOp::create(builder, loc, isEqual(row, k), solved,
                                      reduced),
              row, at);
      });
    });
    wait();
  }

  OpBuilder &builder;
  Location loc;
  Value thread;
  int64_t size;
  Value source, target, matrix;
  Value column; ///< in shared memory
};

class DampedInverseBody : public KernelBody {
public:
  DampedInverseBody(rt::DampedInverseOp op, const IRMapping &buffers)
      : loc(op.getLoc()), inverse(op), buffers(buffers) {
    auto type = cast<MemRefType>(op.getMatrices().getType());
    size = type.getDimSize(1);
    loops = {{type.getDimSize(0), false}, {size * size * size, true}};
    for (Value operand : {op.getMatrices(), op.getWeight(), op.getDamping()})
      accesses.push_back({operand, std::nullopt, false});
    for (Value operand : {op.getInverses(), op.getFailed()})
      accesses.push_back({operand, std::nullopt, true});
  }

  void emitBlock(OpBuilder &builder, gpu::GPUFuncOp kernel, Value block,
                 Value thread) override {
    OpBuilder::InsertionGuard guard(builder);
    auto read = [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffers.lookup(buffer),
                                    ValueRange());
    };
    Value weight = read(inverse.getWeight());
    Value damping = read(inverse.getDamping());
    Value isDone = BlockEmitter(builder, loc, thread, size,
                                buffers.lookup(inverse.getMatrices()),
                                buffers.lookup(inverse.getInverses()), block)
                       .emit(kernel, weight, damping);
    auto integer = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    Value failed =
        arith::SelectOp::create(builder, loc, isDone, integer(0), integer(1));
    Value isFirst =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread,
                              arith::ConstantIndexOp::create(builder, loc, 0));
    auto choice = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/false);
    builder.setInsertionPointToStart(choice.thenBlock());
    memref::StoreOp::create(builder, loc, failed,
                            buffers.lookup(inverse.getFailed()), block);
  }

  SmallVector<Value> emitStart(OpBuilder &, ArrayRef<Value>) override {
    llvm_unreachable("blocks work as a whole");
  }
  SmallVector<Value> emitStep(OpBuilder &, ArrayRef<Value>,
                              ValueRange) override {
    llvm_unreachable("blocks work as a whole");
  }
  void emitStores(OpBuilder &, ArrayRef<Value>, ValueRange) override {
    llvm_unreachable("blocks work as a whole");
  }

private:
  Location loc;
  rt::DampedInverseOp inverse;
  int64_t size;
  const IRMapping &buffers;
};

} // namespace

PlannedBody boostc::buildDampedInverseBody(rt::DampedInverseOp op,
                                           const IRMapping &buffers) {
  auto body = std::make_unique<DampedInverseBody>(op, buffers);
  GridPlan plan;
  plan.parallel = {0};
  plan.reductions = {1};
  plan.tile.assign(2, 1);
  plan.blocks = body->loops.front().extent;
  return PlannedBody{std::move(body), std::move(plan)};
}
