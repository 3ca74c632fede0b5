// MergeKernels.cpp - equal kernels become one; see Passes.td.

#include "compiler/lowering/kernels/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

namespace boostc {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "compiler/lowering/kernels/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

/// Attributes of a kernel but its name.
SmallVector<NamedAttribute> getAttributes(Operation *kernel) {
  return llvm::to_vector(
      llvm::make_filter_range(kernel->getAttrs(), [](NamedAttribute attribute) {
        return attribute.getName() != SymbolTable::getSymbolAttrName();
      }));
}

/// A hash of what equal kernels have in common; values are left out.
llvm::hash_code hashOf(Operation *kernel) {
  SmallVector<NamedAttribute> attributes = getAttributes(kernel);
  llvm::hash_code hash =
      llvm::hash_combine_range(attributes.begin(), attributes.end());
  kernel->getRegion(0).walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

bool areEqual(Operation *a, Operation *b) {
  return a->getName() == b->getName() && getAttributes(a) == getAttributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a->getRegion(0), &b->getRegion(0),
             OperationEquivalence::IgnoreLocations);
}

/// Kernels that share a symbol table.
class KernelSet {
public:
  /// `kernel`, or the first one that is equal.
  StringRef add(Operation *kernel) {
    SmallVector<Operation *> &alike = kernels[hashOf(kernel)];
    auto equal = llvm::find_if(
        alike, [&](Operation *known) { return areEqual(known, kernel); });
    if (equal != alike.end())
      return SymbolTable::getSymbolName(*equal);
    alike.push_back(kernel);
    return SymbolTable::getSymbolName(kernel);
  }

private:
  llvm::DenseMap<size_t, SmallVector<Operation *>> kernels;
};

struct MergeKernels : boostc::impl::MergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    llvm::DenseMap<Attribute, SymbolRefAttr> merged;
    SmallVector<Operation *> surplus;
    auto merge = [&](Operation *kernel, KernelSet &set, auto getReference) {
      StringRef own = SymbolTable::getSymbolName(kernel).getValue();
      StringRef first = set.add(kernel);
      if (first == own)
        return;
      merged[getReference(own)] = getReference(first);
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
      for (auto kernel : module.getOps<gpu::GPUFuncOp>())
        merge(kernel, ofModule, [&](StringRef name) {
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
