#include "compiler/lowering/kernels/ConvertInParallel.h"
#include "compiler/lowering/kernels/Chunks.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace boostc;

/// Ops that one call converts: in about 10 ms.
static constexpr size_t kChunkOps = 2000;

LogicalResult
boostc::convertInParallel(Operation *module, ArrayRef<Operation *> kernels,
                          function_ref<LogicalResult(Operation *)> convert) {
  SmallVector<size_t> sizes = llvm::map_to_vector(kernels, countOps);
  std::vector<OwningOpRef<Operation *>> chunks;
  for (auto [kernel, chunk] :
       llvm::zip_equal(kernels, assignChunks(sizes, kChunkOps))) {
    if (chunk == chunks.size())
      chunks.push_back(makeEmptyChunk(module));
    Block &block = chunks.back()->getRegion(0).front();
    kernel->moveBefore(&block, block.end());
  }
  LogicalResult result = failableParallelForEach(
      module->getContext(), chunks,
      [&](OwningOpRef<Operation *> &chunk) { return convert(*chunk); });
  auto &all = module->getRegion(0).front().getOperations();
  for (OwningOpRef<Operation *> &chunk : chunks)
    all.splice(all.end(), chunk->getRegion(0).front().getOperations());
  return result;
}
