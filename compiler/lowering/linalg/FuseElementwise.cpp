// Elementwise fusion; see Passes.td.

#include "compiler/lowering/linalg/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace boostc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compiler/lowering/linalg/Passes.h.inc"
} // namespace boostc

using namespace mlir;

/// A body that asks for its loops' indices gets them, after fusion, as
/// affine.apply of the other op's loops: arithmetic is understood everywhere.
static void expandIndices(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  function.walk([&](affine::AffineApplyOp apply) {
    rewriter.setInsertionPoint(apply);
    std::optional<SmallVector<Value, 8>> expanded =
        affine::expandAffineMap(rewriter, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector<8>(apply.getOperands()));
    if (expanded)
      rewriter.replaceOp(apply, *expanded);
  });
}

namespace {

/// linalg.fill is not a linalg.generic, so fusion does not see it. Reading
/// element i of a filled tensor is reading the scalar.
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
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(applyPatternsGreedily(function, frozen)))
        return signalPassFailure();
      expandIndices(function);
    }
  }
};

} // namespace
