// Inverses of damped matrices: a block of threads for each, which share its
// columns.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/kernels/Inversion.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
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

  /// Returns whether the inversion failed, an i32.
  Value emit(gpu::GPUFuncOp kernel, Value weight, Value damping) {
    // LLVM may read three neighbours as four. All of them hold numbers.
    auto elements = static_cast<int64_t>(llvm::alignTo(size, 4));
    column = addSharedMemory(kernel, loc, elements, builder.getF32Type());
    forEach(thread, elements, kBlockThreads, [&](Value at) {
      memref::StoreOp::create(builder, loc, number(0.0), column, at);
    });
    auto start = [&](Value added) { copy(weight, added); };
    auto loadPivot = [&](Value k) { return load(target, k, k); };
    auto loadDiagonal = [&](Value k) { return load(source, k, k); };
    auto eliminate = [&](Value k, Value pivot) { reduce(k, pivot); };
    auto clear = [&] {
      wait(); // others may still read the pivot of the last try
      forEachElement([&](Value row, Value at) { store(number(0.0), row, at); });
    };
    return emitInversion(builder, loc, size, weight, damping,
                         {start, loadPivot, loadDiagonal, eliminate, clear});
  }

private:
  Value number(double value) { return buildConstant(builder, loc, value); }
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

  void forEach(Value begin, int64_t end, int64_t step,
               llvm::function_ref<void(Value)> body) {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto loop = scf::ForOp::create(builder, loc, begin ? begin : index(0),
                                   index(end), index(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  void forEachRow(llvm::function_ref<void(Value)> body) {
    forEach(Value(), size, 1, body);
  }
  /// What this thread has of a row or a column.
  void forEachShare(llvm::function_ref<void(Value)> body) {
    forEach(thread, size, kBlockThreads, body);
  }
  void forEachElement(llvm::function_ref<void(Value row, Value at)> body) {
    forEachShare(
        [&](Value at) { forEachRow([&](Value row) { body(row, at); }); });
  }

  void copy(Value weight, Value added) {
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
  }

  /// A thread changes whole columns. It reads column k from a copy.
  void reduce(Value k, Value pivot) {
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
      forEachRow([&](Value row) {
        Value share = memref::LoadOp::create(builder, loc, column, row);
        Value value = arith::SelectOp::create(builder, loc, isOwn, number(0.0),
                                              load(target, row, at));
        Value subtrahend = arith::MulFOp::create(builder, loc, share, solved);
        Value reduced = arith::SubFOp::create(builder, loc, value, subtrahend);
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
    auto read = [&](Value buffer, ValueRange at) -> Value {
      return memref::LoadOp::create(builder, loc, buffers.lookup(buffer), at);
    };
    Value weight = read(inverse.getWeight(), block);
    Value damping = read(inverse.getDamping(), {});
    Value failed = BlockEmitter(builder, loc, thread, size,
                                buffers.lookup(inverse.getMatrices()),
                                buffers.lookup(inverse.getInverses()), block)
                       .emit(kernel, weight, damping);
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
