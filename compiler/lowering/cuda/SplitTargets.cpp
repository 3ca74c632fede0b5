// One program for each kind of device; see Passes.td.

#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"

namespace boostc {
#define GEN_PASS_DEF_SPLITTARGETSPASS
#define GEN_PASS_DEF_SETCUDATARGETPASS
#include "compiler/lowering/cuda/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct SetCudaTarget : boostc::impl::SetCudaTargetPassBase<SetCudaTarget> {
  void runOnOperation() override {
    getOperation()->setAttr(
        kCudaTargetAttrName,
        rt::CudaTargetAttr::get(&getContext(), kCudaArchitecture));
  }
};

struct SplitTargets : boostc::impl::SplitTargetsPassBase<SplitTargets> {
  void runOnOperation() override {
    for (auto program :
         llvm::to_vector(getOperation().getOps<train::ProgramOp>())) {
      if (!program->hasAttr(kCpuTargetAttrName) ||
          !program->hasAttr(kCudaTargetAttrName))
        continue;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(program);
      auto other = cast<train::ProgramOp>(builder.clone(*program));
      // Programs are symbols; the descriptor has the name of the first.
      other.setSymName((program.getSymName() + ".cuda").str());
      other->removeAttr(kCpuTargetAttrName);
      other->removeAttr(rt::kWinogradAttrName);
      program->removeAttr(kCudaTargetAttrName);
    }
  }
};

} // namespace
