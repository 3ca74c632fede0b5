#include "compiler/codegen/Backend.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/DeviceModules.h"
#include "compiler/codegen/LinkProgram.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A module of LLVM's for CPUs.
class HostCode {
public:
  explicit HostCode(ModuleOp module) : module(module) {}

  LogicalResult translate() {
    code = translateModuleToLLVMIR(module, context, "boost-program");
    return success(code != nullptr);
  }
  void makeEmpty(StringRef name) {
    code = std::make_unique<llvm::Module>(name, context);
  }

  LogicalResult optimize(int level) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    // Functions for a better CPU say so themselves.
    backend = Backend::create(module, *code, "x86_64-unknown-linux-gnu",
                              "x86-64", /*features=*/"", level);
    if (!backend)
      return failure();
    code->setPICLevel(llvm::PICLevel::BigPIC);
    backend->optimize();
    return success();
  }
  LogicalResult write(MachineCode kind, SmallVectorImpl<char> &output) {
    return backend->write(kind, output);
  }

  llvm::Module &get() { return *code; }

private:
  ModuleOp module;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<Backend> backend;
};

} // namespace

LogicalResult boostc::emitMachineCode(ModuleOp module, MachineCode kind,
                                      int level, SmallVectorImpl<char> &output,
                                      StringRef ptxas) {
  DeviceModules modules(module, level);
  HostCode host(module);
  if (failed(modules.start(ptxas)) || failed(host.translate()) ||
      failed(host.optimize(level)))
    return failure();
  if (DeviceModules::areUsedBy(host.get()) &&
      failed(modules.define(host.get())))
    return failure();
  return host.write(kind, output);
}

LogicalResult boostc::emitProgram(ModuleOp module, int level,
                                  SmallVectorImpl<char> &library,
                                  StringRef ptxas, bool *lacksSpace) {
  std::vector<ObjectFile> objects(1);
  DeviceModules modules(module, level);
  HostCode host(module);
  if (failed(modules.start(ptxas)) || failed(host.translate()))
    return failure();
  bool hasModules = DeviceModules::areUsedBy(host.get());
  if (failed(host.optimize(level)) ||
      failed(host.write(MachineCode::Object, objects.front())))
    return failure();
  if (hasModules) {
    // They lie in an object file of their own: the other one need not wait for
    // them.
    HostCode table(module);
    table.makeEmpty("boost-modules");
    if (failed(modules.define(table.get())) || failed(table.optimize(level)) ||
        failed(table.write(MachineCode::Object, objects.emplace_back())))
      return failure();
  }
  std::string error;
  LinkResult result = linkProgram(objects, library, error);
  if (result == LinkResult::Ok)
    return success();
  if (lacksSpace)
    *lacksSpace = result == LinkResult::NoSpace;
  return result == LinkResult::NoSpace
             ? emitError(UnknownLoc::get(module.getContext()), error)
             : module.emitError(error);
}
