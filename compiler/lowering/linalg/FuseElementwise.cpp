// Elementwise fusion; see Passes.td.

#include "compiler/lowering/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace boostc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace boostc

using namespace mlir;

namespace {

/// linalg.fill is no linalg.generic, so fusion does not see it. Reading element
/// i of a filled tensor is reading the scalar.
struct FoldFillOperand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto fill = operand->get().getDefiningOp<linalg::FillOp>();
      BlockArgument element = op.getMatchingBlockArgument(operand);
      if (!fill || element.use_empty())
        continue;
      rewriter.modifyOpInPlace(
          op, [&] { element.replaceAllUsesWith(fill.value()); });
      return success();
    }
    return failure();
  }
};

struct FuseElementwise
    : boostc::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          Operation *producer = operand->get().getDefiningOp();
          return producer && producer->hasOneUse();
        });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    patterns.add<FoldFillOperand>(&getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(applyPatternsGreedily(function, frozen)))
        return signalPassFailure();
  }
};

} // namespace
