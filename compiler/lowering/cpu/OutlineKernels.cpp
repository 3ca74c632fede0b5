// From linalg on buffers to kernels and launches; see Passes.td.
//
// The body of a function is a straight line of linalg ops, library calls and
// views. The pass walks it once, gathers neighbours into groups and makes each
// group a kernel. An op joins the open group when
//  - both run on one thread, or both are cut along a loop of the same extent
//    and every buffer that one of them writes and the other touches is cut the
//    same way (an op too small to be cut for its own sake is cut with a
//    neighbour);
//  - no two buffers of the group overlap in memory, so that the kernel's
//    arguments may be promised not to alias; and
//  - both are about the same parameter, where there are many rules, or about
//    none (hasManyRules).

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/KernelGroup.h"
#include "compiler/lowering/cpu/Matmuls.h"
#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/cpu/PartialSums.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/cpu/StepEstimate.h"
#include "compiler/lowering/cpu/Transposition.h"
#include "compiler/lowering/cpu/VectorNest.h"
#include "compiler/lowering/cpu/WeightPacking.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/KernelSet.h"
#include "compiler/lowering/kernels/KernelWork.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace boostc {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct OutlineKernels : boostc::impl::OutlineKernelsPassBase<OutlineKernels> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    KernelSources known;
    sources = &known;
    target =
        getOperation()->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    limits = {};
    if (target) {
      VectorRegisters registers = getVectorRegisters(target);
      limits = {registers.lanes, registers.count / 4,
                getShares(getOperation(), target)};
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(outline(function)))
        return signalPassFailure();
    if (double step = estimateStep(getOperation());
        step > 0.0 && step < static_cast<double>(shortStep))
      for (func::FuncOp function : functions)
        function.walk([](rt::LaunchOp op) { op.setGrain(op.getExtent()); });
  }

  LogicalResult outline(func::FuncOp function) {
    kernels = 0;
    function.walk([](ContractionOpInterface op) { addUpPartials(op); });
    KernelGroup group;
    bool sortsParameters = hasManyRules(getOperation());
    IRRewriter rewriter(&getContext());
    llvm::DenseMap<Operation *, OpKernel> matmuls;
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (isBufferOrConstant(&op))
        continue;
      if (auto fill = dyn_cast<linalg::FillOp>(op); fill && target)
        if (linalg::GenericOp matmul = findOverwritingGeneric(fill))
          if (std::optional<OpKernel> sums = planMatmuls(
                  matmul, getVectorRegisters(target), limits.shares)) {
            matmuls.insert({matmul, std::move(*sums)});
            fill.erase();
            continue;
          }
      if (auto known = matmuls.find(&op); known != matmuls.end()) {
        if (failed(flush(function, group)))
          return failure();
        outlineOp(function, &op, known->second, /*overwrites=*/true);
        continue;
      }
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        if (std::optional<OpKernel> packing =
                planWeightPacking(copy, limits.lanes)) {
          if (failed(flush(function, group)))
            return failure();
          outlineOp(function, copy, *packing);
          continue;
        }
      linalg::GenericOp generic = generalizeToLoops(rewriter, &op);
      if (!generic) {
        if (failed(flush(function, group)))
          return failure();
        if (failed(outlineAlone(function, op)))
          return failure();
        continue;
      }
      std::optional<ContractionPlan> plan;
      if (target)
        plan = planContraction(generic, target);
      if (plan) {
        if (failed(flush(function, group)))
          return failure();
        Contraction contraction = *getContraction(generic);
        outlineTiles(function, generic, contraction, *plan,
                     contraction.countMultiplications());
        continue;
      }
      if (std::optional<OpKernel> copy =
              planTransposition(generic, limits.lanes)) {
        if (failed(flush(function, group)))
          return failure();
        outlineOp(function, generic, *copy);
        continue;
      }
      FailureOr<KernelPart> part =
          analyzePart(generic, sortsParameters, limits.shares);
      if (failed(part))
        return failure();
      bool isLarge = part->order.shared && part->work > serialWork;
      KernelGroup done;
      group.add(std::move(*part), isLarge, done);
      if (failed(flush(function, done)))
        return failure();
    }
    return flush(function, group);
  }

  /// Makes what is not a loop nest over elements a kernel of its own. Library
  /// calls stay what they are.
  LogicalResult outlineAlone(func::FuncOp function, Operation &op) {
    if (auto contraction = dyn_cast<ContractionOpInterface>(op))
      return outlineContraction(function, contraction);
    std::optional<OpKernel> kernel =
        planOpKernel(&op, limits.lanes, target ? target.getThreads() : 1);
    if (kernel)
      outlineOp(function, &op, *kernel);
    return success();
  }

  std::string nameKernel(func::FuncOp function) {
    return (function.getName() + "_kernel_" + llvm::Twine(kernels++)).str();
  }

  /// An empty kernel on `buffers`, before `function`.
  static func::FuncOp createKernel(func::FuncOp function, StringRef name,
                                   Location loc, ValueRange buffers) {
    OpBuilder builder(function);
    SmallVector<Type> types(2, builder.getIndexType());
    llvm::append_range(types, buffers.getTypes());
    auto kernel = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
    kernel.setPrivate();
    kernel->setAttr(rt::kKernelAttrName, builder.getUnitAttr());
    for (unsigned i = 2; i < types.size(); ++i)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
    kernel.addEntryBlock();
    return kernel;
  }

  /// Pieces that are too little work for a thread of their own.
  int64_t getGrain(int64_t workPerPiece) const {
    return std::max<int64_t>(1,
                             serialWork / std::max<int64_t>(1, workPerPiece));
  }

  /// Makes `op` a kernel of its own, which is given whole buffers and takes
  /// views of them itself. It is another one than that of an equal op if it
  /// `overwrites` what the op adds to.
  void outlineOp(func::FuncOp function, Operation *op, const OpKernel &plan,
                 bool overwrites = false) {
    Location loc = op->getLoc();
    llvm::SetVector<Value> buffers;
    for (Value operand : op->getOperands())
      buffers.insert(getViewedBuffer(operand));
    std::string name = nameKernel(function);
    KernelSources::Kernel &known =
        sources->get(op, buffers.getArrayRef(), {plan.pieces, overwrites});
    OpBuilder builder(op);
    if (!known.name) {
      func::FuncOp kernel =
          createKernel(function, name, loc, buffers.getArrayRef());
      known.name = kernel.getSymNameAttr();
      builder.setInsertionPointToStart(&kernel.front());
      IRMapping mapping;
      mapping.map(buffers.getArrayRef(), kernel.getArguments().drop_front(2));
      cloneViews(builder, op, mapping);
      plan.emit(builder, mapping, kernel.getArgument(0), kernel.getArgument(1));
      builder.setInsertionPointToEnd(&kernel.front());
      func::ReturnOp::create(builder, loc);
      builder.setInsertionPoint(op);
    }
    rt::LaunchOp::create(
        builder, loc, known.name.getValue(), buffers.getArrayRef(), plan.pieces,
        std::max(plan.minGrain, getGrain(plan.workPerPiece)), describeWork(op));
    op->erase();
  }

  /// A contraction is a kernel of its own, unless the library computes it.
  LogicalResult outlineContraction(func::FuncOp function,
                                   ContractionOpInterface op) {
    FailureOr<rt::CpuTargetAttr> target = getCpuTarget(getOperation());
    if (failed(target))
      return failure();
    std::optional<ContractionCandidate> candidate = getCandidate(op, *target);
    if (!candidate)
      return op->emitOpError("has ")
             << listCandidates(op, *target).size()
             << " candidates, from 0; attribute " << kCandidateAttrName
             << " names another one: " << op->getAttr(kCandidateAttrName);
    int64_t flops = cast<CostOpInterface>(*op).getFlops();
    if (candidate->taps)
      outlineTapSum(function, op, *candidate->taps, flops);
    if (!candidate->plan)
      return success();
    outlineTiles(function, op, getContraction(op), *candidate->plan, flops / 2);
    return success();
  }

  void outlineTiles(func::FuncOp function, Operation *op,
                    Contraction contraction, const ContractionPlan &plan,
                    int64_t multiplications) {
    OpKernel kernel{plan.pieces,
                    countIterations(multiplications / plan.pieces)};
    kernel.emit = [&](OpBuilder &builder, const IRMapping &mapping, Value begin,
                      Value end) {
      for (Contraction::Access *access :
           {&contraction.a, &contraction.b, &contraction.bias,
            &contraction.result})
        access->buffer = mapping.lookupOrNull(access->buffer);
      emitContraction(builder, op->getLoc(), contraction, plan, begin, end);
    };
    outlineOp(function, op, kernel);
  }

  void outlineTapSum(func::FuncOp function, ContractionOpInterface op,
                     const TapSumPlan &plan, int64_t flops) {
    OpKernel kernel{plan.pieces, countIterations(flops / 2 / plan.pieces)};
    kernel.emit = [&](OpBuilder &builder, const IRMapping &mapping, Value begin,
                      Value end) {
      TapSum sum = *getTapSum(op);
      auto replace = [&](TapOperand &operand) {
        operand.buffer = mapping.lookupOrNull(operand.buffer);
      };
      replace(sum.bias);
      for (TapPart &part : sum.parts) {
        replace(part.source);
        replace(part.weight);
        replace(part.result);
      }
      emitTapSum(builder, op->getLoc(), sum, plan, begin, end);
    };
    outlineOp(function, op, kernel);
  }

  /// Makes the group a kernel, and replaces its last op by the launch.
  LogicalResult flush(func::FuncOp function, KernelGroup &group) {
    if (group.parts.empty())
      return success();
    KernelGroup done = std::move(group);
    group = KernelGroup();
    SmallVector<Location> locations;
    SmallVector<Operation *> ops;
    llvm::SetVector<Value> buffers;
    int64_t work = 0;
    for (const KernelPart &part : done.parts) {
      ops.push_back(part.op);
      locations.push_back(part.op->getLoc());
      for (rt::BufferOp buffer : part.buffers)
        buffers.insert(buffer);
      work += part.work;
    }
    ArrayRef<Value> operands = buffers.getArrayRef();
    Location loc = FusedLoc::get(&getContext(), locations);

    int64_t extent = done.isCut ? done.parts.front().extent : 1;
    std::string name = nameKernel(function);
    KernelSources::Kernel &known = sources->get(ops, operands, extent);
    if (!known.name &&
        failed(emitGroup(createKernel(function, name, loc, operands), done,
                         operands, extent, known)))
      return failure();

    OpBuilder builder(done.parts.back().op);
    rt::LaunchOp::create(builder, loc, known.name.getValue(), operands, extent,
                         std::max(known.minGrain, getGrain(work / extent)),
                         describeWork(ops));
    for (Operation *op : ops)
      op->erase();
    return success();
  }

  LogicalResult emitGroup(func::FuncOp kernel, const KernelGroup &done,
                          ArrayRef<Value> operands, int64_t extent,
                          KernelSources::Kernel &known) {
    known.name = kernel.getSymNameAttr();
    Block *body = &kernel.front();
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    IRMapping mapping;
    mapping.map(operands, body->getArguments().drop_front(2));
    Value begin = extent > 1 ? body->getArgument(0) : Value();
    Value end = extent > 1 ? body->getArgument(1) : Value();
    for (const KernelPart &part : done.parts)
      cloneViews(builder, part.op, mapping);
    FailureOr<int64_t> minGrain =
        emitParts(builder, done.parts, limits, mapping, begin, end);
    if (failed(minGrain))
      return failure();
    known.minGrain = *minGrain;
    func::ReturnOp::create(builder, kernel.getLoc());
    return success();
  }

  KernelSources *sources = nullptr; ///< those of the program
  rt::CpuTargetAttr target;         ///< null: none is known
  VectorLimits limits;
  unsigned kernels = 0;
};

} // namespace
