// From linalg on buffers to kernels and launches on a GPU; see Passes.td.
//
// The body of a function is a straight line; DeviceSchedule.h says what of it
// becomes one kernel.

#include "compiler/lowering/cuda/EqualUnits.h"
#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/cuda/VariantOps.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/KernelSet.h"
#include "compiler/lowering/kernels/KernelWork.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace boostc {
#define GEN_PASS_DEF_OUTLINEDEVICEKERNELSPASS
#include "compiler/lowering/cuda/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct OutlineDeviceKernels
    : boostc::impl::OutlineDeviceKernelsPassBase<OutlineDeviceKernels> {
  using OutlineDeviceKernelsPassBase::OutlineDeviceKernelsPassBase;

  void runOnOperation() override {
    if (!getCudaTarget(getOperation()))
      return;
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    OpBuilder builder =
        OpBuilder::atBlockEnd(&getOperation().getBody().front());
    module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                      kKernelModuleName);
    KernelSources known;
    sources = &known;
    std::optional<BufferUsers> all;
    users =
        hasManyRules(getOperation()) ? &all.emplace(getOperation()) : nullptr;
    VariantOps variants(getOperation());
    for (func::FuncOp function : functions)
      if (failed(outline(function, variants)))
        return signalPassFailure();
  }

  LogicalResult outline(func::FuncOp function, const VariantOps &variants) {
    kernels = 0;
    IRMapping buffers;
    DeviceSchedule schedule(buffers, tilingPolicy, users);
    IRRewriter rewriter(&getContext());
    SmallVector<rt::GradientsReadyOp> announced;
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (isBufferOrConstant(&op))
        continue;
      if (auto ready = dyn_cast<rt::GradientsReadyOp>(op)) {
        announced.push_back(ready);
        continue;
      }
      llvm::SmallBitVector having = variants.getVariants(&op);
      Operation *lowered = &op;
      if (linalg::GenericOp generic = generalizeToLoops(rewriter, &op))
        lowered = generic;
      if (!isa<rt::FillOp, rt::CollectiveOp, func::ReturnOp>(lowered)) {
        if (failed(schedule.add(lowered, having)))
          return failure();
        continue;
      }
      // The host fills and exchanges; what is before stays before.
      std::vector<DeviceKernel> taken = schedule.take();
      llvm::SetVector<Operation *> done, counted;
      SmallVector<size_t> needed;
      for (rt::GradientsReadyOp ready : announced)
        needed.push_back(countNeeded(taken, ready));
      auto *next = announced.begin();
      for (auto [number, kernel] : llvm::enumerate(taken)) {
        while (next != announced.end() &&
               needed[next - announced.begin()] <= number)
          (*next++)->moveBefore(lowered);
        if (failed(emitKernel(function, kernel, buffers, lowered, counted)))
          return failure();
        if (!kernel.isFallback)
          done.insert_range(kernel.ops);
      }
      // No kernel after the others could overlap with them.
      done.insert(next, announced.end());
      announced.clear();
      for (Operation *op : done)
        op->erase();
    }
    return success();
  }

  /// How many of `kernels` come before what is announced: a kernel may hold
  /// several ops.
  static size_t countNeeded(ArrayRef<DeviceKernel> kernels,
                            rt::GradientsReadyOp ready) {
    size_t count = kernels.size();
    auto touches = [&](rt::BufferOp buffer) {
      return llvm::any_of(ready.getBuffers(), [&](Value announced) {
        return overlap(getBase(announced), buffer);
      });
    };
    while (count > 0 &&
           llvm::none_of(kernels[count - 1].units, [&](const DeviceUnit &unit) {
             return llvm::any_of(unit.touched, touches);
           }))
      --count;
    return count;
  }

  /// Makes `group` a kernel, its launch before `next`. Its work is that of the
  /// ops that are not `counted` yet: of a reduction that is split, the launch
  /// that adds partial sums up has none.
  LogicalResult emitKernel(func::FuncOp function, DeviceKernel &group,
                           IRMapping &buffers, Operation *next,
                           llvm::SetVector<Operation *> &counted) {
    SmallVector<Location> locations;
    for (Operation *op : group.ops)
      locations.push_back(op->getLoc());
    Location loc = FusedLoc::get(&getContext(), locations);
    llvm::SetVector<rt::BufferOp> written, exchanged;
    int64_t blocks = 0;
    for (const DeviceUnit &unit : group.units) {
      written.insert_range(unit.written);
      // LLVM would take what a thread has read before a barrier for what is
      // there after it. Threads of a block that works as a whole do the same.
      if (unit.isChain() || unit.worksAsBlock())
        exchanged.insert_range(unit.written);
      blocks += unit.countBlocks();
    }
    if (blocks > std::numeric_limits<int32_t>::max())
      return emitError(loc)
             << "needs " << blocks << " blocks of threads; a GPU runs 2^31 - 1";

    SmallVector<Value> operands;
    SmallVector<bool> writes;
    for (rt::BufferOp buffer : group.getBuffers()) {
      operands.push_back(buffer);
      writes.push_back(written.contains(buffer));
    }
    llvm::SetVector<Operation *> ops(group.ops.begin(), group.ops.end());
    std::string name =
        (function.getName() + "_kernel_" + llvm::Twine(kernels++)).str();
    KernelSources::Kernel &known =
        sources->get(ops.getArrayRef(), operands, describe(group, ops));
    if (!known.name) {
      gpu::GPUFuncOp kernel = createKernel(name, loc, operands, exchanged);
      known.name = kernel.getNameAttr();
      emitUnits(kernel, loc, group, operands, buffers);
    }

    SmallVector<Operation *> work;
    for (Operation *op : group.ops)
      if (counted.insert(op))
        work.push_back(op);
    OpBuilder builder(next);
    auto symbol = SymbolRefAttr::get(&getContext(), kKernelModuleName,
                                     FlatSymbolRefAttr::get(known.name));
    if (group.isFallback)
      group.ops.front()->moveBefore(next);
    rt::LaunchGridOp::create(
        builder, loc, symbol, operands, blocks, kBlockThreads, writes,
        group.isFallback, work.empty() ? rt::WorkAttr() : describeWork(work));
    return success();
  }

  /// How the bodies of `ops` are put together.
  static SmallVector<int64_t>
  describe(const DeviceKernel &group, const llvm::SetVector<Operation *> &ops) {
    SmallVector<int64_t> numbers = {group.isFallback};
    for (const DeviceUnit &unit : group.units) {
      numbers.push_back(static_cast<int64_t>(unit.nests.size()));
      for (const GridNest &nest : unit.nests) {
        numbers.push_back(static_cast<int64_t>(nest.members.size()));
        numbers.push_back(nest.main);
        for (const GridNest::Member &member : nest.members) {
          const auto *op = llvm::find(ops, member.body->op);
          numbers.push_back(std::distance(ops.begin(), op));
          numbers.push_back(member.body->part);
        }
      }
    }
    return numbers;
  }

  /// An empty kernel on `buffers`. Those in `operands` carry values from
  /// thread to thread: LLVM must not think that a thread finds there what it
  /// left.
  gpu::GPUFuncOp createKernel(StringRef name, Location loc,
                              ArrayRef<Value> buffers,
                              const llvm::SetVector<rt::BufferOp> &exchanged) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernel = gpu::GPUFuncOp::create(
        builder, loc, name,
        builder.getFunctionType(ValueRange(buffers).getTypes(), {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
        {static_cast<int32_t>(kBlockThreads), 1, 1}));
    for (unsigned i = 0; i < buffers.size(); ++i) {
      if (!exchanged.contains(buffers[i].getDefiningOp<rt::BufferOp>()))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
      kernel.setArgAttr(
          i, LLVM::LLVMDialect::getAlignAttrName(),
          builder.getI64IntegerAttr(getUsefulAlignment(buffers[i].getType())));
    }
    return kernel;
  }

  /// Shared memory for the largest of the tiled contractions, which run in
  /// blocks of their own; null where there are none.
  static Value addStages(gpu::GPUFuncOp kernel, Location loc,
                         const DeviceKernel &group) {
    int64_t elements = 0;
    for (const DeviceUnit &unit : group.units)
      for (const GridNest &nest : unit.nests)
        if (nest.plan.tiling)
          elements =
              std::max(elements, 2 * nest.plan.tiling->getSliceElements());
    if (elements == 0)
      return Value();
    return addSharedMemory(kernel, loc, elements,
                           Float32Type::get(kernel.getContext()));
  }

  /// Each unit gets as many blocks as it asks for; those with equal code follow
  /// each other and share it.
  static void emitUnits(gpu::GPUFuncOp kernel, Location loc,
                        const DeviceKernel &group, ArrayRef<Value> operands,
                        IRMapping &buffers) {
    OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    buffers.clear();
    buffers.map(operands, kernel.getArguments().take_front(operands.size()));
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value memory = addStages(kernel, loc, group);
    for (Operation *op : group.ops)
      cloneViews(builder, op, buffers);
    std::vector<EqualUnits> runs = findEqualUnits(group, loc, buffers);
    for (const EqualUnits &units : runs) {
      const DeviceUnit &unit = *units.front();
      bool isLast = &units == &runs.back();
      scf::IfOp choice;
      Value limit;
      if (!isLast) {
        int64_t blocks = 0;
        for (const DeviceUnit *equal : units)
          blocks += equal->countBlocks();
        limit = arith::ConstantIndexOp::create(builder, loc, blocks);
        Value isMine = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, block, limit);
        choice = scf::IfOp::create(builder, loc, isMine, /*withElse=*/true);
        builder.setInsertionPointToStart(choice.thenBlock());
      }
      Value own = block, items;
      std::optional<UnitChoice> unitChoice;
      if (units.size() > 1) {
        unitChoice.emplace(builder, loc, units, block, buffers);
        own = unitChoice->getOwnBlock();
        items = unitChoice->getItems();
      }
      if (unit.isChain())
        emitChain(builder, kernel, loc, unit, thread);
      else
        emitGrid(builder, kernel, loc, unit.nests.front(), memory, own, thread,
                 items);
      if (isLast)
        break;
      builder.setInsertionPointToStart(choice.elseBlock());
      block = arith::SubIOp::create(builder, loc, block, limit);
    }
  }

  /// One block does the work of all, nest by nest.
  static void emitChain(OpBuilder &builder, gpu::GPUFuncOp kernel, Location loc,
                        const DeviceUnit &unit, Value thread) {
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    for (const GridNest &nest : unit.nests) {
      assert(!nest.plan.tiling && "many blocks, so not in a chain");
      // Afterwards all threads see what one wrote before.
      if (&nest != &unit.nests.front())
        gpu::BarrierOp::create(builder, loc);
      int64_t blocks = nest.plan.countBlocks();
      if (blocks == 1) {
        emitGrid(builder, kernel, loc, nest, Value(), constant(0), thread);
        continue;
      }
      auto loop = scf::ForOp::create(builder, loc, constant(0),
                                     constant(blocks), constant(1));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      emitGrid(builder, kernel, loc, nest, Value(), loop.getInductionVar(),
               thread);
      // Memory that a block shares is used again.
      if (nest.plan.lanes == kBlockThreads)
        gpu::BarrierOp::create(builder, loc);
    }
  }

  gpu::GPUModuleOp module;
  KernelSources *sources = nullptr; ///< those of the program
  const BufferUsers *users = nullptr;
  unsigned kernels = 0;
};

} // namespace
