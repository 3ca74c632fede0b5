#include "compiler/codegen/DeviceImages.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/lowering/cuda/CudaTarget.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace boostc;

static std::unique_ptr<llvm::TargetMachine>
createDeviceMachine(int level, std::string &error) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  // PTX 7.0 is the first that knows sm_80, and drivers read what is older.
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, "sm_" + std::to_string(kCudaArchitecture), "+ptx70",
      llvm::TargetOptions(), std::nullopt, std::nullopt,
      static_cast<llvm::CodeGenOptLevel>(level)));
}

static gpu::GPUModuleOp findKernels(ModuleOp module) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? nullptr : *modules.begin();
}

LogicalResult boostc::emitPtx(ModuleOp module, int level,
                              SmallVectorImpl<char> &text) {
  gpu::GPUModuleOp kernels = findKernels(module);
  if (!kernels)
    return module.emitError("has no code for GPUs; compile with --target=cuda "
                            "or --target=cpu,cuda");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> device =
      translateModuleToLLVMIR(kernels, context, "boost-kernels");
  if (!device)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createDeviceMachine(level, error);
  if (!machine)
    return kernels.emitError("LLVM cannot generate code for GPUs: ") << error;
  device->setTargetTriple(machine->getTargetTriple());
  device->setDataLayout(machine->createDataLayout());
  // A few comparisons of a block's number cost less than a branch by a table,
  // which all lanes wait for.
  for (llvm::Function &function : *device)
    function.addFnAttr("no-jump-tables", "true");
  optimize(*device, *machine, level);
  // A driver would refuse it when the program is run.
  for (const llvm::Function &function : *device)
    if (function.isDeclaration() && !function.isIntrinsic())
      return kernels.emitError("a kernel calls '")
             << function.getName()
             << "', which no program has; please report this";
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return kernels.emitError("LLVM cannot write PTX");
  passes.run(*device);
  return success();
}

LogicalResult boostc::defineImages(ModuleOp module, int level,
                                   llvm::Module &host) {
  llvm::GlobalVariable *declared = host.getNamedGlobal(kImagesSymbol);
  if (!declared)
    return success();
  SmallVector<char, 0> ptx;
  if (failed(emitPtx(module, level, ptx)))
    return failure();
  llvm::LLVMContext &context = host.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  // BoostImage
  auto *type = llvm::StructType::get(context, {i32, i32, pointer, i64});
  auto addConstant = [&](llvm::Constant *value, const llvm::Twine &name) {
    return new llvm::GlobalVariable(host, value->getType(), /*isConstant=*/true,
                                    llvm::GlobalValue::InternalLinkage, value,
                                    name);
  };
  auto describe = [&](BoostImageKind kind, unsigned architecture,
                      llvm::Constant *data, uint64_t bytes) {
    return llvm::ConstantStruct::get(
        type, {llvm::ConstantInt::get(i32, kind),
               llvm::ConstantInt::get(i32, architecture), data,
               llvm::ConstantInt::get(i64, bytes)});
  };
  auto *text = addConstant(
      llvm::ConstantDataArray::getString(
          context, StringRef(ptx.data(), ptx.size()), /*AddNull=*/true),
      "boost.ptx");
  SmallVector<llvm::Constant *> images = {
      describe(BOOST_IMAGE_PTX, kCudaArchitecture, text, ptx.size()),
      describe(BOOST_IMAGE_END, 0, llvm::ConstantPointerNull::get(pointer), 0)};
  auto *table =
      addConstant(llvm::ConstantArray::get(
                      llvm::ArrayType::get(type, images.size()), images),
                  kImagesSymbol + ".table");
  declared->replaceAllUsesWith(table);
  declared->eraseFromParent();
  return success();
}
