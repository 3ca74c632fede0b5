// From linalg on buffers to kernels and launches on a GPU; see Passes.td.
//
// The body of a function is a straight line. The pass walks it once and gathers
// neighbours of which none writes what another touches: they become one kernel,
// each with blocks of its own, so that small work runs side by side and a launch
// is paid once.

#include "compiler/lowering/Passes.h"
#include "compiler/lowering/cuda/CudaTarget.h"
#include "compiler/lowering/cuda/GridWorks.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {
#define GEN_PASS_DEF_OUTLINEDEVICEKERNELSPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

/// Ops that will be one kernel.
struct DeviceGroup {
  struct Part {
    Operation *op;
    GridPart grid;
    llvm::SetVector<rt::BufferOp> touched, written;
  };
  std::vector<Part> parts;
  llvm::SetVector<rt::BufferOp> buffers;
  /// From values of the function to those of the kernel; the parts refer to it.
  std::unique_ptr<IRMapping> mapping = std::make_unique<IRMapping>();

  /// Whether `part` and all others can run at the same time, in one launch.
  bool accepts(const Part &part) const {
    // Kernels take 4 KiB of parameters.
    constexpr size_t kMostBuffers = 256, kMostParts = 64;
    auto meets = [](const auto &written, const auto &touched) {
      return llvm::any_of(written, [&](rt::BufferOp a) {
        return llvm::any_of(touched,
                            [&](rt::BufferOp b) { return overlap(a, b); });
      });
    };
    return parts.size() < kMostParts &&
           buffers.size() + part.touched.size() <= kMostBuffers &&
           llvm::none_of(parts, [&](const Part &other) {
             return meets(part.written, other.touched) ||
                    meets(other.written, part.touched);
           });
  }
};

struct OutlineDeviceKernels
    : boostc::impl::OutlineDeviceKernelsPassBase<OutlineDeviceKernels> {
  void runOnOperation() override {
    if (!getCudaTarget(getOperation()))
      return;
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    OpBuilder builder = OpBuilder::atBlockEnd(&getOperation().getBody().front());
    module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                      kKernelModuleName);
    for (func::FuncOp function : functions)
      if (failed(outline(function)))
        return signalPassFailure();
  }

  LogicalResult outline(func::FuncOp function) {
    kernels = 0;
    DeviceGroup group;
    IRRewriter rewriter(&getContext());
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (isa<rt::BufferOp, arith::ConstantOp, ViewLikeOpInterface>(op))
        continue; // places and numbers: no work
      Operation *work = &op;
      if (linalg::GenericOp generic = generalizeToLoops(rewriter, &op))
        work = generic;
      if (isa<rt::FillOp, func::ReturnOp>(work)) {
        if (failed(flush(function, group)))
          return failure();
        continue;
      }
      FailureOr<DeviceGroup::Part> part = analyze(work, *group.mapping);
      if (failed(part))
        return failure();
      if (!group.accepts(*part)) {
        if (failed(flush(function, group)))
          return failure();
        // It was to read the mapping of the group that is done.
        part = analyze(work, *group.mapping);
        assert(succeeded(part) && "it succeeded before");
      }
      group.buffers.insert_range(part->touched);
      group.parts.push_back(std::move(*part));
    }
    return success();
  }

  static FailureOr<DeviceGroup::Part> analyze(Operation *op,
                                              const IRMapping &mapping) {
    FailureOr<GridPart> grid = buildGridPart(op, mapping);
    if (failed(grid))
      return failure();
    DeviceGroup::Part part{op, std::move(*grid), {}, {}};
    auto destination = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      rt::BufferOp base = getBase(operand.get());
      if (!base)
        return op->emitOpError("operand is no planned buffer: ")
               << operand.get();
      part.touched.insert(base);
      if (destination.isDpsInit(&operand))
        part.written.insert(base);
    }
    return part;
  }

  /// Makes the group a kernel, its launch in the place of its last op.
  LogicalResult flush(func::FuncOp function, DeviceGroup &group) {
    if (group.parts.empty())
      return success();
    DeviceGroup done = std::move(group);
    group = DeviceGroup();
    SmallVector<Location> locations;
    llvm::SetVector<rt::BufferOp> written;
    int64_t blocks = 0;
    for (const DeviceGroup::Part &part : done.parts) {
      locations.push_back(part.op->getLoc());
      written.insert_range(part.written);
      blocks += part.grid.plan.countBlocks();
    }
    Location loc = FusedLoc::get(&getContext(), locations);
    if (blocks > std::numeric_limits<int32_t>::max())
      return emitError(loc) << "needs " << blocks
                            << " blocks of threads; a GPU runs 2^31 - 1";

    SmallVector<Value> operands;
    SmallVector<bool> writes;
    for (rt::BufferOp buffer : done.buffers) {
      operands.push_back(buffer);
      writes.push_back(written.contains(buffer));
    }
    gpu::GPUFuncOp kernel = createKernel(function, loc, operands);
    emitParts(kernel, loc, done, operands);

    OpBuilder builder(done.parts.back().op);
    auto symbol = SymbolRefAttr::get(
        &getContext(), kKernelModuleName,
        FlatSymbolRefAttr::get(&getContext(), kernel.getName()));
    rt::LaunchGridOp::create(builder, loc, symbol, operands, blocks,
                             kBlockThreads, writes);
    for (const DeviceGroup::Part &part : done.parts)
      part.op->erase();
    return success();
  }

  gpu::GPUFuncOp createKernel(func::FuncOp function, Location loc,
                              ArrayRef<Value> buffers) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    std::string name =
        (function.getName() + "_kernel_" + llvm::Twine(kernels++)).str();
    auto kernel = gpu::GPUFuncOp::create(
        builder, loc, name,
        builder.getFunctionType(ValueRange(buffers).getTypes(), {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
        {static_cast<int32_t>(kBlockThreads), 1, 1}));
    for (unsigned i = 0; i < buffers.size(); ++i) {
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
      // No more than the size is a multiple of: LLVM reads 16 bytes where 12 are
      // asked for and the alignment says that no page can end between.
      auto bytes = static_cast<uint64_t>(countBytes(buffers[i].getType()));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(static_cast<int64_t>(
                            llvm::MinAlign(bytes, BOOST_ALIGNMENT))));
    }
    return kernel;
  }

  /// Each part gets as many blocks as it asks for, in their order.
  static void emitParts(gpu::GPUFuncOp kernel, Location loc, DeviceGroup &group,
                        ArrayRef<Value> operands) {
    OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    group.mapping->map(operands, kernel.getArguments().take_front(
                                     operands.size()));
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    for (const DeviceGroup::Part &part : group.parts)
      cloneViews(builder, part.op, *group.mapping);
    for (auto [number, part] : llvm::enumerate(group.parts)) {
      Location partLoc = part.op->getLoc();
      int64_t blocks = part.grid.plan.countBlocks();
      bool isLast = number + 1 == group.parts.size();
      scf::IfOp choice;
      Value limit;
      if (!isLast) {
        limit = arith::ConstantIndexOp::create(builder, partLoc, blocks);
        Value isMine = arith::CmpIOp::create(
            builder, partLoc, arith::CmpIPredicate::ult, block, limit);
        choice = scf::IfOp::create(builder, partLoc, isMine, /*withElse=*/true);
        builder.setInsertionPointToStart(choice.thenBlock());
      }
      emitGrid(builder, partLoc, *part.grid.work, part.grid.plan, block,
               thread);
      if (isLast)
        break;
      builder.setInsertionPointToStart(choice.elseBlock());
      block = arith::SubIOp::create(builder, partLoc, block, limit);
    }
  }

  gpu::GPUModuleOp module;
  unsigned kernels = 0;
};

} // namespace
