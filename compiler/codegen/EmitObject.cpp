#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/DeviceImages.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace boostc;

static std::unique_ptr<llvm::TargetMachine>
createHostMachine(int level, std::string &error) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      // Functions for a better CPU say so themselves.
      triple, "x86-64", /*Features=*/"", llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt,
      static_cast<llvm::CodeGenOptLevel>(level)));
}

void boostc::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                      int level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = level > 1;
  tuning.LoopInterleaving = level > 1;
  llvm::PassBuilder builder(&machine, tuning);
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
  passes.run(module, modules);
}

LogicalResult boostc::emitMachineCode(ModuleOp module, MachineCode kind,
                                      int level, SmallVectorImpl<char> &code,
                                      StringRef ptxas) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "boost-program");
  if (!llvmModule)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createHostMachine(level, error);
  if (!machine)
    return module.emitError("LLVM cannot generate code: ") << error;
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setPICLevel(llvm::PICLevel::BigPIC);
  DeviceImages images(module, level);
  if (failed(images.start(ptxas)))
    return failure();
  optimize(*llvmModule, *machine, level);
  images.define(*llvmModule);

  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  auto fileType = kind == MachineCode::Object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType))
    return module.emitError("LLVM cannot write this kind of file");
  passes.run(*llvmModule);
  return success();
}
