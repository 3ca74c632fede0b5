#include "compiler/codegen/Backend.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace boostc;

std::unique_ptr<Backend> Backend::create(Operation *op, llvm::Module &code,
                                         StringRef triple, StringRef cpu,
                                         StringRef features, int level) {
  std::unique_ptr<Backend> backend(new Backend(op, code, level));
  llvm::Triple parsed(triple);
  std::string error;
  if (const llvm::Target *target =
          llvm::TargetRegistry::lookupTarget(parsed, error))
    backend->machine.reset(target->createTargetMachine(
        parsed, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
        std::nullopt, static_cast<llvm::CodeGenOptLevel>(level)));
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
  const std::array<llvm::OptimizationLevel, 4> levels = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel optimization = levels[level];
  llvm::ModulePassManager passes =
      level == 0 ? builder.buildO0DefaultPipeline(optimization)
                 : builder.buildPerModuleDefaultPipeline(optimization);
  passes.run(code, modules);
}

LogicalResult Backend::write(MachineCode kind, SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  auto fileType = kind == MachineCode::Object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType))
    return op->emitError("LLVM cannot write this kind of file");
  passes.run(code);
  return success();
}
