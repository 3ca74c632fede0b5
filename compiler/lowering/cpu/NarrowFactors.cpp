// Factors of matmuls in linalg that CPUs multiply in bf16; see Passes.td.

#include "compiler/lowering/cpu/Matmuls.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/cpu/StoredElements.h"
#include "compiler/lowering/target/CudaTarget.h"

namespace boostc {
#define GEN_PASS_DEF_NARROWFACTORSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// What extends `value` from bf16 last in the op that computes it, in memory of
/// its own; null when another one does.
static arith::ExtFOp getExtension(Value value) {
  Value stored = getStoredElement(value);
  auto extension =
      stored ? stored.getDefiningOp<arith::ExtFOp>() : arith::ExtFOp();
  return extension && extension.getIn().getType().isBF16() ? extension
                                                           : arith::ExtFOp();
}

/// Whether all that read `value` can extend its elements themselves.
static bool isReadByLoops(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    return user && user.isDpsInput(&use);
  });
}

static bool canNarrow(Value factor) {
  return getElementTypeOrSelf(factor.getType()).isBF16() ||
         (getExtension(factor) && isReadByLoops(factor));
}

namespace {

struct NarrowFactors : boostc::impl::NarrowFactorsPassBase<NarrowFactors> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto target = program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    if (getCudaTarget(program) || !target)
      return;
    VectorRegisters registers = getVectorRegisters(target);
    for (auto function : program.getOps<func::FuncOp>())
      for (auto op : function.getOps<linalg::GenericOp>()) {
        if (!multipliesBFloat16(op, registers) ||
            !llvm::all_of(op.getInputs(), canNarrow))
          continue;
        for (Value factor : llvm::to_vector(op.getInputs()))
          if (arith::ExtFOp extension = getExtension(factor))
            storeElement(factor, extension.getIn());
      }
  }
};

} // namespace
