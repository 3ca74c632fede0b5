#include "compiler/codegen/Backend.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/DeviceModules.h"
#include "compiler/codegen/KernelChunks.h"
#include "compiler/codegen/LinkProgram.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>

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

  /// On any thread, as write(): only a diagnostic touches the module of MLIR.
  LogicalResult optimize(int level) {
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

/// Generates code of modules on the threads of a pool.
class ObjectCompiler {
public:
  ObjectCompiler(llvm::ThreadPoolInterface &pool, size_t count)
      : pool(pool), objects(count) {
    codes.reserve(count); // threads refer to them
  }
  ~ObjectCompiler() { pool.wait(); }

  LogicalResult start(ModuleOp module, int level) {
    std::unique_ptr<HostCode> &code =
        codes.emplace_back(std::make_unique<HostCode>(module));
    if (failed(code->translate()))
      return failure();
    pool.async([this, &code, level, &object = objects[codes.size() - 1]] {
      if (failed(code->optimize(level)) ||
          failed(code->write(MachineCode::Object, object)))
        hasFailed = true;
      code.reset();
    });
    return success();
  }
  /// Waits, and appends the objects in the order in which they were started.
  LogicalResult finish(std::vector<ObjectFile> &all) {
    pool.wait();
    llvm::move(objects, std::back_inserter(all));
    return success(!hasFailed);
  }

private:
  llvm::ThreadPoolInterface &pool;
  std::vector<std::unique_ptr<HostCode>> codes;
  std::vector<ObjectFile> objects;
  std::atomic<bool> hasFailed = false;
};

} // namespace

/// The functions that launch kernels are long, have no loops, and take no time
/// when they run: a module that holds nothing else is not optimised.
static int chooseLevel(ModuleOp module, int level) {
  bool hasKernels =
      llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(), [](auto function) {
        return !function.isExternal() &&
               function.getName().ends_with(kEntrySuffix);
      });
  return hasKernels ? level : 0;
}

static void initializeHostTarget() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

LogicalResult boostc::emitMachineCode(ModuleOp module, MachineCode kind,
                                      int level, SmallVectorImpl<char> &output,
                                      StringRef ptxas) {
  initializeHostTarget();
  llvm::DefaultThreadPool pool;
  DeviceModules modules(module, level);
  HostCode host(module);
  if (failed(modules.start(ptxas, pool)) || failed(host.translate()) ||
      failed(host.optimize(level)))
    return failure();
  if (DeviceModules::areUsedBy(module) && failed(modules.define(host.get())))
    return failure();
  return host.write(kind, output);
}

LogicalResult boostc::emitProgram(ModuleOp module, int level,
                                  SmallVectorImpl<char> &library,
                                  StringRef ptxas, bool *lacksSpace) {
  initializeHostTarget();
  std::vector<ObjectFile> objects;
  llvm::DefaultThreadPool pool;
  DeviceModules modules(module, level);
  std::vector<OwningOpRef<ModuleOp>> chunks = splitKernels(module);
  ObjectCompiler compiler(pool, chunks.size() + 1);
  // What takes longest begins first: ptxas comes after the PTX.
  bool hasModules = DeviceModules::areUsedBy(module);
  if (failed(modules.start(ptxas, pool)) ||
      failed(compiler.start(module, chooseLevel(module, level))))
    return failure();
  for (OwningOpRef<ModuleOp> &chunk : chunks)
    if (failed(compiler.start(*chunk, level)))
      return failure();
  if (failed(compiler.finish(objects)))
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
