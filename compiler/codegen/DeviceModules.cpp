#include "compiler/codegen/DeviceModules.h"
#include "compiler/codegen/Backend.h"
#include "compiler/codegen/KernelChunks.h"
#include "compiler/codegen/Ptxas.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include <future>
#include <map>

using namespace mlir;
using namespace boostc;

static gpu::GPUModuleOp findKernels(ModuleOp module) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? nullptr : *modules.begin();
}

/// Architectures that get code of their own where there is an assembler. Other
/// GPUs run the PTX, which the driver compiles.
static constexpr unsigned kCubinArchitectures[] = {80, 90};

/// Where the PTX of LLVM's begins to differ between parts.
static constexpr StringRef kEndOfHeader = ".address_size 64\n";

/// A part of a program's kernels.
class boostc::DeviceCode {
public:
  /// Null, with a diagnostic, when it cannot be made.
  static std::unique_ptr<DeviceCode>
  create(OwningOpRef<gpu::GPUModuleOp> kernels, int level) {
    std::unique_ptr<DeviceCode> made(new DeviceCode(std::move(kernels)));
    made->code =
        translateModuleToLLVMIR(*made->kernels, made->context, "boost-kernels");
    if (!made->code)
      return nullptr;
    // PTX 7.0 is the first that knows sm_80, and drivers read what is older.
    made->backend = Backend::create(
        *made->kernels, *made->code, "nvptx64-nvidia-cuda",
        "sm_" + std::to_string(kCudaArchitecture), "+ptx70", level);
    if (!made->backend)
      return nullptr;
    // A few comparisons of a block's number cost less than a branch by a table,
    // which all lanes wait for.
    for (llvm::Function &function : *made->code)
      function.addFnAttr("no-jump-tables", "true");
    return made;
  }

  /// On threads of `pool`; touches the module of MLIR for a diagnostic only.
  void start(StringRef ptxas, llvm::ThreadPoolInterface &pool) {
    generated = pool.async([this, ptxas, &pool]() -> LogicalResult {
      if (failed(generate()))
        return failure();
      for (unsigned architecture : kCubinArchitectures)
        if (!ptxas.empty())
          cubins[architecture] = pool.async([this, ptxas, architecture] {
            return assemble(ptxas, getText(), architecture);
          });
      return success();
    });
  }
  LogicalResult wait() { return generated.get(); }
  /// Waits for everything.
  ~DeviceCode() {
    if (generated.valid())
      generated.wait();
    for (auto &[architecture, cubin] : cubins)
      cubin.wait();
  }

  /// After wait().
  StringRef getText() const { return StringRef(ptx.data(), ptx.size()); }
  /// Where ptxas makes them; waits.
  const Cubin &getCubin(unsigned architecture) {
    return cubins.at(architecture).get();
  }

private:
  explicit DeviceCode(OwningOpRef<gpu::GPUModuleOp> kernels)
      : kernels(std::move(kernels)) {}

  LogicalResult generate() {
    backend->optimize();
    // A driver would refuse it when the program is run.
    for (const llvm::Function &function : *code)
      if (function.isDeclaration() && !function.isIntrinsic())
        return kernels->emitError("a kernel calls '")
               << function.getName()
               << "', which no program has; please report this";
    LogicalResult result = backend->write(MachineCode::Assembly, ptx);
    backend.reset();
    code.reset();
    return result;
  }

  OwningOpRef<gpu::GPUModuleOp> kernels;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<Backend> backend;
  SmallVector<char, 0> ptx;
  std::shared_future<LogicalResult> generated;
  std::map<unsigned, std::shared_future<Cubin>> cubins; ///< after wait()
};

LogicalResult boostc::emitPtx(ModuleOp module, int level,
                              SmallVectorImpl<char> &text) {
  if (!findKernels(module))
    return module.emitError("has no code for GPUs; compile with --target=cuda "
                            "or --target=cpu,cuda");
  llvm::DefaultThreadPool pool;
  DeviceModules modules(module, level);
  return success(succeeded(modules.start("off", pool)) &&
                 succeeded(modules.writePtx(text)));
}

DeviceModules::DeviceModules(ModuleOp module, int level)
    : module(module), level(level) {}

DeviceModules::~DeviceModules() = default;

LogicalResult DeviceModules::start(StringRef choice,
                                   llvm::ThreadPoolInterface &pool) {
  gpu::GPUModuleOp kernels = findKernels(module);
  if (!kernels)
    return success();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  ptxas = findPtxas(choice);
  for (OwningOpRef<gpu::GPUModuleOp> &part : splitKernels(kernels)) {
    std::unique_ptr<DeviceCode> code =
        DeviceCode::create(std::move(part), level);
    if (!code)
      return failure();
    code->start(ptxas, pool);
    parts.push_back(std::move(code));
  }
  return success();
}

LogicalResult DeviceModules::writePtx(SmallVectorImpl<char> &text) {
  for (const std::unique_ptr<DeviceCode> &part : parts)
    if (failed(part->wait()))
      return failure();
  for (const std::unique_ptr<DeviceCode> &part : parts) {
    StringRef own = part->getText();
    assert(own.contains(kEndOfHeader) && "LLVM writes another header");
    if (part != parts.front())
      own = own.split(kEndOfHeader).second;
    text.append(own.begin(), own.end());
  }
  return success();
}

std::vector<StringRef> DeviceModules::collectCubins(unsigned architecture) {
  std::vector<StringRef> cubins;
  for (const std::unique_ptr<DeviceCode> &part : parts) {
    const Cubin &cubin = part->getCubin(architecture);
    cubins.push_back(cubin.bytes);
    if (!cubin.bytes.empty())
      continue;
    module.emitWarning("ptxas generates no code for sm_")
        << architecture << ", so GPUs of this kind compile the program "
        << "when it is loaded: " << cubin.error;
    return {};
  }
  return cubins;
}

bool DeviceModules::areUsedBy(ModuleOp module) {
  return module.lookupSymbol(kModulesSymbol);
}

LogicalResult DeviceModules::define(llvm::Module &host) {
  SmallVector<char, 0> ptx;
  if (failed(writePtx(ptx)))
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
  if (!ptxas.empty())
    for (unsigned architecture : kCubinArchitectures)
      for (StringRef cubin : collectCubins(architecture))
        add(BOOSTC_MODULE_CUBIN, architecture, cubin,
            "boost.cubin." + llvm::Twine(architecture));
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
