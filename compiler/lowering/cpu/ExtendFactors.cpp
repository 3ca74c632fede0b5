// Contractions on CPUs have factors in f32; see Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"

namespace boostc {
#define GEN_PASS_DEF_EXTENDFACTORSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct ExtendFactors : boostc::impl::ExtendFactorsPassBase<ExtendFactors> {
  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    getOperation().walk([](ContractionOpInterface op) {
      if (!isLowPrecision(op.getA().getType()) &&
          !isLowPrecision(op.getB().getType()))
        return;
      // Kernels round what they write, the library cannot.
      if (isForLibrary(op))
        roundResult(op);
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (operand.get() != op.getC() &&
            isLowPrecision(operand.get().getType()))
          operand.set(buildConversion(builder, op.getLoc(), operand.get(),
                                      builder.getF32Type()));
    });
  }

  /// Sums in f32, rounded by an op of their own.
  static void roundResult(ContractionOpInterface op) {
    Value sums = op.getC(), result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    if (!isLowPrecision(type))
      return;
    OpBuilder builder(op);
    Value wide = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                         builder.getF32Type());
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == sums)
        operand.set(wide);
    if (auto empty = sums.getDefiningOp<tensor::EmptyOp>();
        empty && empty->use_empty())
      empty.erase();
    result.setType(cast<RankedTensorType>(wide.getType()));
    builder.setInsertionPointAfter(op);
    Value rounded =
        buildConversion(builder, op.getLoc(), result, type.getElementType());
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
};

} // namespace
