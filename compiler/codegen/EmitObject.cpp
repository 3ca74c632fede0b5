#include "compiler/codegen/Backend.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/DeviceImages.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace boostc;

LogicalResult boostc::emitMachineCode(ModuleOp module, MachineCode kind,
                                      int level, SmallVectorImpl<char> &code,
                                      StringRef ptxas) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "boost-program");
  if (!llvmModule)
    return failure();
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  // Functions for a better CPU say so themselves.
  std::unique_ptr<Backend> backend =
      Backend::create(module, *llvmModule, "x86_64-unknown-linux-gnu", "x86-64",
                      /*features=*/"", level);
  if (!backend)
    return failure();
  llvmModule->setPICLevel(llvm::PICLevel::BigPIC);
  DeviceImages images(module, level);
  if (failed(images.start(ptxas)))
    return failure();
  backend->optimize();
  images.define(*llvmModule);
  return backend->write(kind, code);
}
