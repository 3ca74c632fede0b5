#include "compiler/codegen/DeviceModules.h"
#include "compiler/codegen/Backend.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace boostc;

static gpu::GPUModuleOp findKernels(ModuleOp module) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? nullptr : *modules.begin();
}

/// The kernels of a module as a module of LLVM's.
class boostc::DeviceCode {
public:
  /// Null, with a diagnostic, when it cannot be made.
  static std::unique_ptr<DeviceCode> create(gpu::GPUModuleOp kernels,
                                            int level) {
    std::unique_ptr<DeviceCode> made(new DeviceCode(kernels));
    made->code =
        translateModuleToLLVMIR(kernels, made->context, "boost-kernels");
    if (!made->code)
      return nullptr;
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // PTX 7.0 is the first that knows sm_80, and drivers read what is older.
    made->backend = Backend::create(kernels, *made->code, "nvptx64-nvidia-cuda",
                                    "sm_" + std::to_string(kCudaArchitecture),
                                    "+ptx70", level);
    if (!made->backend)
      return nullptr;
    // A few comparisons of a block's number cost less than a branch by a table,
    // which all lanes wait for.
    for (llvm::Function &function : *made->code)
      function.addFnAttr("no-jump-tables", "true");
    return made;
  }

  /// Appends the PTX to `text`; on any thread, as it touches the module of MLIR
  /// for a diagnostic only.
  LogicalResult generate(SmallVectorImpl<char> &text) {
    backend->optimize();
    // A driver would refuse it when the program is run.
    for (const llvm::Function &function : *code)
      if (function.isDeclaration() && !function.isIntrinsic())
        return kernels.emitError("a kernel calls '")
               << function.getName()
               << "', which no program has; please report this";
    return backend->write(MachineCode::Assembly, text);
  }

private:
  explicit DeviceCode(gpu::GPUModuleOp kernels) : kernels(kernels) {}

  gpu::GPUModuleOp kernels;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<Backend> backend;
};

LogicalResult boostc::emitPtx(ModuleOp module, int level,
                              SmallVectorImpl<char> &text) {
  gpu::GPUModuleOp kernels = findKernels(module);
  if (!kernels)
    return module.emitError("has no code for GPUs; compile with --target=cuda "
                            "or --target=cpu,cuda");
  std::unique_ptr<DeviceCode> device = DeviceCode::create(kernels, level);
  return success(device && succeeded(device->generate(text)));
}

/// Architectures that get code of their own where there is an assembler. Other
/// GPUs run the PTX, which the driver compiles.
static constexpr unsigned kCubinArchitectures[] = {80, 90};

DeviceModules::DeviceModules(ModuleOp module, int level)
    : module(module), level(level) {}

DeviceModules::~DeviceModules() {
  if (generated.valid())
    generated.wait();
}

LogicalResult DeviceModules::start(StringRef ptxas,
                                   llvm::ThreadPoolInterface &pool) {
  gpu::GPUModuleOp kernels = findKernels(module);
  if (!kernels)
    return success();
  code = DeviceCode::create(kernels, level);
  if (!code)
    return failure();
  auto generate = [this, program = findPtxas(ptxas)]() -> LogicalResult {
    if (failed(code->generate(ptx)))
      return failure();
    if (!program.empty())
      jobs.start(program, StringRef(ptx.data(), ptx.size()),
                 kCubinArchitectures);
    return success();
  };
  generated = pool.async(generate);
  return success();
}

bool DeviceModules::areUsedBy(ModuleOp module) {
  return module.lookupSymbol(kModulesSymbol);
}

LogicalResult DeviceModules::define(llvm::Module &host) {
  if (generated.valid() && failed(generated.get()))
    return failure();
  llvm::LLVMContext &context = host.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::StructType::get(context, {i32, i32, pointer, i64});
  SmallVector<llvm::Constant *> modules; // BoostModule
  auto add = [&](BoostModuleKind kind, unsigned architecture, StringRef bytes,
                 const llvm::Twine &name) {
    llvm::Constant *data = llvm::ConstantPointerNull::get(pointer);
    if (kind != BOOSTC_MODULE_END) {
      auto *value = llvm::ConstantDataArray::getString(context, bytes,
                                                       /*AddNull=*/true);
      auto *global = new llvm::GlobalVariable(
          host, value->getType(), /*isConstant=*/true,
          llvm::GlobalValue::InternalLinkage, value, name);
      global->setAlignment(llvm::Align(BOOSTC_ALIGNMENT));
      data = global;
    }
    modules.push_back(llvm::ConstantStruct::get(
        type, {llvm::ConstantInt::get(i32, kind),
               llvm::ConstantInt::get(i32, architecture), data,
               llvm::ConstantInt::get(i64, bytes.size())}));
  };
  add(BOOSTC_MODULE_PTX, kCudaArchitecture, StringRef(ptx.data(), ptx.size()),
      "boost.ptx");
  for (const PtxasJobs::Cubin &cubin : jobs.collect(module))
    add(BOOSTC_MODULE_CUBIN, cubin.architecture, cubin.bytes,
        "boost.cubin." + llvm::Twine(cubin.architecture));
  add(BOOSTC_MODULE_END, 0, "", "");
  auto *table = new llvm::GlobalVariable(
      host, llvm::ArrayType::get(type, modules.size()), /*isConstant=*/true,
      llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantArray::get(llvm::ArrayType::get(type, modules.size()),
                               modules));
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  if (llvm::GlobalVariable *declared = host.getNamedGlobal(kModulesSymbol)) {
    declared->replaceAllUsesWith(table);
    declared->eraseFromParent();
  }
  table->setName(kModulesSymbol);
  return success();
}
