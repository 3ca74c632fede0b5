// From phase rt to LLVM's dialect; see Passes.td.

#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/cpu/CpuTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"

namespace boostc {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

std::string boostc::formatLocation(Location loc) {
  std::string text = "unknown";
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
            ":" + llvm::Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

namespace {

/// The functions of a program, by BoostFunctionKind.
constexpr StringRef kFunctionNames[BOOST_FUNCTION_COUNT] = {
    train::kInit, train::kMicro, train::kCombine, train::kUpdate, train::kEval};
static_assert(BOOST_FUNCTION_INIT == 0 && BOOST_FUNCTION_MICRO == 1 &&
              BOOST_FUNCTION_COMBINE == 2 && BOOST_FUNCTION_UPDATE == 3 &&
              BOOST_FUNCTION_EVAL == 4);

struct LowerToLLVM : boostc::impl::LowerToLLVMPassBase<LowerToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto programs = llvm::to_vector(module.getOps<train::ProgramOp>());
    if (programs.size() != 1) {
      module.emitError(
          "expected one train.program to make a library of, found ")
          << programs.size();
      return signalPassFailure();
    }
    if (failed(lower(programs.front())))
      signalPassFailure();
  }

  LogicalResult lower(train::ProgramOp program) {
    SmallVector<func::FuncOp> kernels;
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(rt::kKernelAttrName))
        kernels.push_back(function);

    SmallVector<LLVM::LLVMFuncOp> functions;
    SmallVector<int64_t> transientBytes;
    SmallVector<LibraryCallEntry> calls;
    for (StringRef name : kFunctionNames) {
      func::FuncOp function = program.getFunction(name);
      if (!function)
        return program.emitOpError("has no function @") << name;
      transientBytes.push_back(measureTransient(function));
      FailureOr<LLVM::LLVMFuncOp> lowered = lowerHostFunction(function, calls);
      if (failed(lowered))
        return failure();
      functions.push_back(*lowered);
    }
    if (failed(emitDescriptor(program, functions, transientBytes, calls)))
      return failure();
    for (func::FuncOp kernel : kernels)
      kernel->moveBefore(program);
    // Code generation reads it from the module.
    getOperation()->setAttr(kCpuTargetAttrName,
                            program->getAttr(kCpuTargetAttrName));
    program.erase();
    return convertKernels(kernels);
  }

  static int64_t measureTransient(func::FuncOp function) {
    int64_t end = 0;
    function.walk([&](rt::BufferOp op) {
      if (op.getArena() == rt::Arena::Transient)
        end = std::max(end, static_cast<int64_t>(op.getOffset()) +
                                countBytes(op->getResultTypes()));
    });
    return end;
  }
};

} // namespace
