// MergeKernels.cpp - equal kernels become one; see Passes.td.

#include "compiler/lowering/kernels/KernelSet.h"
#include "compiler/lowering/kernels/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace boostc {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "compiler/lowering/kernels/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct MergeKernels : boostc::impl::MergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    llvm::DenseMap<Attribute, SymbolRefAttr> merged;
    SmallVector<Operation *> surplus;
    auto merge = [&](Operation *kernel, KernelSet &set, auto getReference) {
      Operation *first = set.add(kernel);
      if (first == kernel)
        return;
      merged[getReference(SymbolTable::getSymbolName(kernel))] =
          getReference(SymbolTable::getSymbolName(first));
      surplus.push_back(kernel);
    };
    KernelSet ofCpu;
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(rt::kKernelAttrName))
        merge(function, ofCpu, [&](StringRef name) -> SymbolRefAttr {
          return FlatSymbolRefAttr::get(&getContext(), name);
        });
    for (auto module : program.getOps<gpu::GPUModuleOp>()) {
      KernelSet ofModule;
      for (Operation &kernel : *module.getBody())
        if (gpu::GPUDialect::isKernel(&kernel))
          merge(&kernel, ofModule, [&](StringRef name) {
            return SymbolRefAttr::get(
                module.getSymNameAttr(),
                FlatSymbolRefAttr::get(&getContext(), name));
          });
    }
    if (merged.empty())
      return;
    auto redirect = [&](auto launch) {
      if (SymbolRefAttr kernel = merged.lookup(launch.getKernelAttr()))
        launch->setAttr(launch.getKernelAttrName(), kernel);
    };
    program.walk([&](rt::LaunchOp launch) { redirect(launch); });
    program.walk([&](rt::LaunchGridOp launch) { redirect(launch); });
    for (Operation *kernel : surplus)
      kernel->erase();
  }
};

} // namespace
