// Factors of matmuls in linalg that CPUs multiply in bf16; see Passes.td.

#include "compiler/lowering/cpu/Matmuls.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace boostc {
#define GEN_PASS_DEF_NARROWFACTORSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Where the op that computes `value`, in f32, extends numbers of bf16 last and
/// writes them to memory of its own: the extension. Null elsewhere.
static arith::ExtFOp findExtension(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return {};
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value yielded = op.getBody()->getTerminator()->getOperand(number);
  auto extension = yielded.getDefiningOp<arith::ExtFOp>();
  bool isOwn = op.getRegionOutputArgs()[number].use_empty() &&
               op.getOutputs()[number].getDefiningOp<tensor::EmptyOp>();
  return isOwn && extension && extension.getIn().getType().isBF16()
             ? extension
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
         (findExtension(factor) && isReadByLoops(factor));
}

/// Stores `factor` as it was before it was extended; what reads it extends it.
static void narrow(Value factor) {
  if (getElementTypeOrSelf(factor.getType()).isBF16())
    return;
  auto op = factor.getDefiningOp<linalg::GenericOp>();
  unsigned number = cast<OpResult>(factor).getResultNumber();
  arith::ExtFOp extension = findExtension(factor);
  auto type = cast<RankedTensorType>(factor.getType());
  Type low = extension.getIn().getType();
  OpBuilder builder(op);
  op.getDpsInitsMutable()[number].set(
      tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), low));
  op.getRegionOutputArgs()[number].setType(low);
  op.getBody()->getTerminator()->setOperand(number, extension.getIn());
  if (extension->use_empty())
    extension.erase();
  factor.setType(type.clone(low));
  for (OpOperand &use : factor.getUses()) {
    auto user = cast<linalg::GenericOp>(use.getOwner());
    BlockArgument element = user.getMatchingBlockArgument(&use);
    element.setType(low);
    builder.setInsertionPointToStart(user.getBody());
    Value wide = buildExtension(builder, user.getLoc(), element);
    element.replaceAllUsesExcept(wide, wide.getDefiningOp());
  }
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
        if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 ||
            !llvm::all_of(op.getInputs(), canNarrow) ||
            !multipliesBFloat16(op, registers))
          continue;
        for (Value factor : llvm::to_vector(op.getInputs()))
          narrow(factor);
      }
  }
};

} // namespace
