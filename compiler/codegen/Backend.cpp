#include "compiler/codegen/Backend.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace boostc;

/// For kernels, whose loops are blocked and vectorised before LLVM sees them.
/// LLVM's own list for its highest level has all of these passes. It also has
/// what kernels have no use for (calls to inline, globals, calls of C's
/// library), passes again that find nothing the second or third time, and one
/// that makes vectors of scalars: of indices, here. Programs are as fast
/// without, and LLVM's passes take half the time.
static constexpr StringRef kFirstPasses =
    "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "reassociate,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication>,licm<allowspeculation>))";
static constexpr StringRef kLastPasses =
    "function(simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
    "gvn,adce,simplifycfg,loop-vectorize,instcombine<no-verify-fixpoint>,"
    "loop-unroll<O3>,infer-alignment,instcombine<no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),instsimplify,div-rem-pairs,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;"
    "no-keep-loops;hoist-common-insts;sink-common-insts>)";

/// Between them: a loop for each value of a condition that stays the same in
/// it, such as whether a sample counts.
static constexpr StringRef kUnswitching =
    "loop-mssa(simple-loop-unswitch<nontrivial;trivial>)";

/// At the end: induction variables of their own for addresses, which saves a
/// multiplication where an outer loop begins an inner one.
static constexpr StringRef kStrengthReduction = "loop(loop-reduce)";

/// Instructions of the largest functions for which the last two are run. They
/// took a quarter of LLVM's time, most of it in the unrolled loops of large
/// functions, which do too much for it to be seen.
static constexpr unsigned kSmallFunction = 400;

namespace {

/// Passes for small functions.
class RunOnSmallFunctions : public llvm::PassInfoMixin<RunOnSmallFunctions> {
public:
  RunOnSmallFunctions(llvm::PassBuilder &builder, StringRef text) {
    llvm::cantFail(builder.parsePassPipeline(passes, text));
  }
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses) {
    return function.getInstructionCount() > kSmallFunction
               ? llvm::PreservedAnalyses::all()
               : passes.run(function, analyses);
  }

private:
  llvm::FunctionPassManager passes;
};

} // namespace

std::unique_ptr<Backend> Backend::create(Operation *op, llvm::Module &code,
                                         StringRef triple, StringRef cpu,
                                         StringRef features, int level) {
  std::unique_ptr<Backend> backend(new Backend(op, code, level));
  llvm::Triple parsed(triple);
  // At level 3, GPUs get the same code, after passes that take longer.
  int codegenLevel = parsed.isNVPTX() ? std::min(level, 2) : level;
  std::string error;
  if (const llvm::Target *target =
          llvm::TargetRegistry::lookupTarget(parsed, error))
    backend->machine.reset(target->createTargetMachine(
        parsed, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
        std::nullopt, static_cast<llvm::CodeGenOptLevel>(codegenLevel)));
  if (!backend->machine) {
    op->emitError("LLVM cannot generate code for ") << triple << ": " << error;
    return nullptr;
  }
  code.setTargetTriple(backend->machine->getTargetTriple());
  code.setDataLayout(backend->machine->createDataLayout());
  return backend;
}

void Backend::optimize() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = level > 1;
  tuning.LoopInterleaving = level > 1;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  auto runOnSmallFunctions = [&](StringRef text) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(
        RunOnSmallFunctions(builder, text)));
  };
  if (level == 3) {
    llvm::cantFail(builder.parsePassPipeline(passes, kFirstPasses));
    runOnSmallFunctions(kUnswitching);
    llvm::cantFail(builder.parsePassPipeline(passes, kLastPasses));
  } else if (level == 0) {
    passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  } else {
    passes = builder.buildPerModuleDefaultPipeline(
        level == 1 ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O2);
  }
  if (level > 1 && !isForGpu())
    runOnSmallFunctions(kStrengthReduction);
  passes.run(code, modules);
}

/// Code generation for GPUs reduces strength after passes of its own that split
/// addresses; for CPUs it is done before. An option of LLVM's is the only way
/// to tell, and is read when the passes are listed.
bool Backend::addCodegenPasses(llvm::legacy::PassManager &passes,
                               llvm::raw_pwrite_stream &stream,
                               llvm::CodeGenFileType type) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup("disable-lsr");
  assert(option && "LLVM has no such option any more");
  static_cast<llvm::cl::opt<bool> *>(option)->setValue(!isForGpu());
  return !machine->addPassesToEmitFile(passes, stream, nullptr, type);
}

LogicalResult Backend::write(MachineCode kind, SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  auto fileType = kind == MachineCode::Object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile;
  if (!addCodegenPasses(passes, stream, fileType))
    return op->emitError("LLVM cannot write this kind of file");
  passes.run(code);
  return success();
}
