// From phase rt to LLVM's dialect; see Passes.td.

#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/llvm/Passes.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SetVector.h"

namespace boostc {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "compiler/lowering/llvm/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct LowerToLLVM : boostc::impl::LowerToLLVMPassBase<LowerToLLVM> {
  void runOnOperation() override {
    if (failed(lower()))
      signalPassFailure();
  }

  LogicalResult lower() {
    ModuleOp module = getOperation();
    SmallVector<TargetCode, 0> targets;
    for (auto program : module.getOps<train::ProgramOp>())
      targets.push_back({program, getCudaTarget(program) ? BOOSTC_TARGET_CUDA
                                                         : BOOSTC_TARGET_CPU});
    llvm::stable_sort(targets, [](const TargetCode &a, const TargetCode &b) {
      return a.kind < b.kind;
    });
    if (targets.empty() ||
        (targets.size() > 1 && (targets.size() > BOOSTC_TARGET_COUNT ||
                                targets[0].kind == targets[1].kind)))
      return module.emitError("expected one train.program for each kind of "
                              "device to make a library of, found ")
             << targets.size();
    for (TargetCode &target : targets)
      if (failed(lowerFunctions(target)))
        return failure();
    if (failed(emitDescriptor(targets)))
      return failure();
    for (TargetCode &target : targets)
      if (failed(lowerKernels(target)))
        return failure();
    return success();
  }

  LogicalResult lowerFunctions(TargetCode &target) {
    train::ProgramOp program = target.program;
    llvm::SetVector<func::FuncOp> functions;
    for (const train::ProgramFunction &entry : program.getFunctions())
      if (entry.function && functions.insert(entry.function))
        countCalls(entry.function, target);
    for (const train::ProgramFunction &entry : program.getFunctions())
      if (failed(lowerFunction(target, entry)))
        return failure();
    return success();
  }

  /// Appends a function to the table of the target, if it is not there yet.
  static LogicalResult lowerFunction(TargetCode &target,
                                     const train::ProgramFunction &entry) {
    func::FuncOp function = entry.function;
    if (!function)
      return entry.user->emitOpError("has no function @") << entry.part;
    if (llvm::any_of(target.functions, [&](const BoostFunction &known) {
          return known.name == function.getName();
        }))
      return success();
    auto first = static_cast<uint32_t>(target.collectives.size());
    StringRef prefix =
        target.kind == BOOSTC_TARGET_CUDA ? "boost.cuda." : "boost.";
    FailureOr<LLVM::LLVMFuncOp> lowered = lowerHostFunction(
        function, (prefix + function.getName()).str(), target);
    if (failed(lowered))
      return failure();
    DescriptorMemory &memory = target.memory;
    target.functions.push_back(
        {.name = memory.makeText(function.getName()),
         .entry = memory.makeSymbol<BoostEntry>(lowered->getName()),
         .transient_bytes =
             llvm::alignTo(measureTransient(function), BOOSTC_ALIGNMENT),
         .role = static_cast<uint32_t>(entry.role),
         .first_collective = first,
         .collective_count =
             static_cast<uint32_t>(target.collectives.size()) - first,
         .sum_count = 0,
         .sums = nullptr});
    return success();
  }

  /// Moves the kernels out of the program, which is erased.
  LogicalResult lowerKernels(TargetCode &target) {
    train::ProgramOp program = target.program;
    if (target.kind == BOOSTC_TARGET_CUDA) {
      for (auto kernels :
           llvm::make_early_inc_range(program.getOps<gpu::GPUModuleOp>()))
        kernels->moveBefore(program);
      program.erase();
      return success();
    }
    FailureOr<rt::CpuTargetAttr> cpu = getCpuTarget(program);
    if (failed(cpu))
      return failure();
    SmallVector<func::FuncOp> kernels;
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(rt::kKernelAttrName))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      kernel->moveBefore(program);
    for (const BoostFunction &function : target.functions)
      getOperation()
          .lookupSymbol<LLVM::LLVMFuncOp>(getSymbol(function.entry))
          .setTargetCpu(cpu->getCpu());
    // For those who compile on from this text.
    getOperation()->setAttr(kCpuTargetAttrName, *cpu);
    program.erase();
    return convertKernels(kernels, *cpu);
  }

  static uint64_t measureTransient(func::FuncOp function) {
    uint64_t end = 0;
    function.walk([&](rt::BufferOp op) {
      if (op.getArena() == rt::Arena::Transient)
        end = std::max<uint64_t>(end, op.getOffset() +
                                          countBytes(op->getResultTypes()));
    });
    return end;
  }
};

} // namespace
