#include "compiler/lowering/kernels/ConvertInParallel.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace boostc;

/// Ops that one call converts: in about 10 ms.
static constexpr size_t kOpsOfCall = 2000;

LogicalResult
boostc::convertInParallel(Operation *module, ArrayRef<Operation *> kernels,
                          function_ref<LogicalResult(Operation *)> convert) {
  std::vector<OwningOpRef<Operation *>> parts;
  size_t count = kOpsOfCall;
  for (Operation *kernel : kernels) {
    if (count >= kOpsOfCall) {
      parts.emplace_back(module->cloneWithoutRegions());
      parts.back()->getRegion(0).emplaceBlock();
      count = 0;
    }
    kernel->walk([&](Operation *) { ++count; });
    Block &block = parts.back()->getRegion(0).front();
    kernel->moveBefore(&block, block.end());
  }
  LogicalResult result = failableParallelForEach(
      module->getContext(), parts,
      [&](OwningOpRef<Operation *> &part) { return convert(*part); });
  Block &all = module->getRegion(0).front();
  for (OwningOpRef<Operation *> &part : parts) {
    auto &converted = part->getRegion(0).front().getOperations();
    all.getOperations().splice(all.end(), converted);
  }
  return result;
}
