#include "compiler/codegen/KernelChunks.h"
#include "compiler/lowering/kernels/Chunks.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace boostc;

/// Ops of a module: code of so many takes LLVM about 0.1 s, much longer than a
/// thread takes to begin.
static constexpr size_t kChunkOps = 4000;

/// The same for GPUs: so many take LLVM and the assembler half a second, and
/// each run of the assembler 20 ms more.
static constexpr size_t kDeviceChunkOps = 10000;

/// Whether `function` can be compiled apart from everything else.
static bool isAlone(LLVM::LLVMFuncOp function) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function);
  return uses && uses->empty();
}

namespace {

/// A kernel, and the function that launches name.
struct Kernel {
  LLVM::LLVMFuncOp code, entry;
};

} // namespace

static SmallVector<Kernel> findKernels(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<Kernel> kernels;
  for (auto entry : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = entry.getName();
    if (!name.consume_back(kEntrySuffix))
      continue;
    auto code = symbols.lookup<LLVM::LLVMFuncOp>(name);
    if (code && !code.isExternal() && !entry.isExternal() && isAlone(code))
      kernels.push_back({code, entry});
  }
  return kernels;
}

/// Moves `kernel` into `chunk`.
static void move(const Kernel &kernel, ModuleOp chunk) {
  LLVM::LLVMFuncOp entry = kernel.entry;
  entry.setLinkage(LLVM::Linkage::External);
  entry.setVisibility_(LLVM::Visibility::Hidden);
  OpBuilder builder(entry);
  builder.insert(entry->cloneWithoutRegions());
  kernel.code->moveBefore(chunk.getBody(), chunk.getBody()->end());
  entry->moveBefore(chunk.getBody(), chunk.getBody()->end());
}

std::vector<OwningOpRef<ModuleOp>> boostc::splitKernels(ModuleOp module) {
  SmallVector<Kernel> kernels = findKernels(module);
  SmallVector<size_t> sizes;
  size_t total = 0;
  for (const Kernel &kernel : kernels)
    total += sizes.emplace_back(countOps(kernel.code));
  std::vector<OwningOpRef<ModuleOp>> chunks;
  if (total < 2 * kChunkOps)
    return chunks;
  for (auto [kernel, chunk] :
       llvm::zip_equal(kernels, assignChunks(sizes, kChunkOps))) {
    if (chunk == chunks.size())
      chunks.push_back(ModuleOp::create(module.getLoc()));
    move(kernel, *chunks[chunk]);
  }
  return chunks;
}

/// Moves `kernel` into `chunk`, after copies of what it refers to.
static void move(LLVM::LLVMFuncOp kernel, gpu::GPUModuleOp chunk) {
  Operation *from = kernel->getParentOp();
  OpBuilder builder = OpBuilder::atBlockEnd(chunk.getBody());
  if (std::optional<SymbolTable::UseRange> uses =
          SymbolTable::getSymbolUses(kernel))
    for (const SymbolTable::SymbolUse &use : *uses) {
      Operation *used =
          SymbolTable::lookupNearestSymbolFrom(from, use.getSymbolRef());
      assert(used && "kernels call no functions that are moved");
      if (!SymbolTable::lookupSymbolIn(chunk, use.getSymbolRef()))
        builder.clone(*used);
    }
  kernel->moveBefore(chunk.getBody(), chunk.getBody()->end());
}

std::vector<OwningOpRef<gpu::GPUModuleOp>>
boostc::splitKernels(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  SmallVector<size_t> sizes;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal()) {
      kernels.push_back(function);
      sizes.push_back(countOps(function));
    }
  SmallVector<size_t> assigned = assignChunks(sizes, kDeviceChunkOps);
  std::vector<OwningOpRef<gpu::GPUModuleOp>> chunks;
  for (size_t i = 0, end = assigned.empty() ? 0 : assigned.back(); i <= end;
       ++i) {
    chunks.emplace_back(
        cast<gpu::GPUModuleOp>(makeEmptyChunk(module).release()));
  }
  for (auto [kernel, chunk] : llvm::zip_equal(kernels, assigned))
    move(kernel, *chunks[chunk]);
  return chunks;
}
