// Elementwise fusion; see Passes.td.
//
// Bytes are counted on tensors: one read of each tensor that an op reads, one
// write of each that it writes.

#include "compiler/lowering/linalg/Passes.h"
#include "dialects/interfaces/Interfaces.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace boostc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compiler/lowering/linalg/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

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

/// Scalar ops of an element above which a value is not computed twice.
constexpr int64_t kMaxRecomputedOps = 16;

/// Whether an element of `op` takes few operations, none of which is much
/// slower than an addition.
bool isCheap(linalg::GenericOp op) {
  int64_t ops = 0;
  for (Operation &scalar : op.getBody()->without_terminator()) {
    if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
            arith::RemSIOp, arith::RemUIOp>(scalar) ||
        isa<math::MathDialect>(scalar.getDialect()))
      return false;
    ops += !scalar.hasTrait<OpTrait::ConstantLike>();
  }
  return ops <= kMaxRecomputedOps;
}

/// The elementwise op that computes `value` from its inputs alone, in few
/// operations; null when another one does.
linalg::GenericOp getCheapProducer(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || !isCheap(op) ||
      !op.getRegionOutputArgs().front().use_empty() ||
      !op.getIndexingMapsArray().back().isPermutation())
    return {};
  return op;
}

/// Whether an op converts elements to another type, and does nothing else.
bool isConversion(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && !llvm::hasSingleElement(*generic.getBody()) &&
         llvm::all_of(generic.getBody()->without_terminator(),
                      llvm::IsaPred<arith::ExtFOp, arith::TruncFOp>);
}

/// Whether the producer of `use` and its user may become one op.
bool isAllowed(OpOperand &use, bool conversions) {
  return !conversions || isConversion(use.getOwner()) ||
         isConversion(use.get().getDefiningOp());
}

/// What an op reads: tensors, and at which of its loops.
using Reads = SmallVector<std::pair<Value, AffineMap>>;

Reads getReads(linalg::GenericOp op) {
  Reads reads;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(operand).use_empty())
      reads.emplace_back(operand->get(), op.getMatchingIndexingMap(operand));
  return reads;
}

/// The maps of the inputs of `producer` in an op that reads its result by
/// `map`.
Reads getReadsThrough(linalg::GenericOp producer, AffineMap map) {
  AffineMap loops =
      inversePermutation(producer.getIndexingMapsArray().back()).compose(map);
  Reads reads = getReads(producer);
  for (auto &[value, index] : reads)
    index = index.compose(loops);
  return reads;
}

/// Fusing the producer of `use` with its user, which runs one iteration for
/// each element.
class Fusion {
public:
  /// Nothing when the two cannot be fused.
  static std::optional<Fusion> consider(OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    linalg::GenericOp producer = getCheapProducer(use.get());
    if (!user || !producer || !user.isDpsInput(&use) ||
        !user.getMatchingIndexingMap(&use).isPermutation())
      return std::nullopt;
    Fusion fusion{use};
    Reads known = getReads(user);
    AffineMap map = user.getMatchingIndexingMap(&use);
    llvm::erase(known, std::pair(use.get(), map));
    for (const auto &[value, index] : getReadsThrough(producer, map))
      fusion.addRead(value, index, known);
    return fusion;
  }

  /// Bytes that the user reads less, below 0 where it reads more.
  int64_t getGain() const { return countBytes(use->get().getType()) - bytes; }

  /// Bytes of values that have to be kept until `last`, which would not be.
  int64_t getKept(Operation *last, llvm::SmallDenseSet<Value> &kept) const {
    Operation *producer = use->get().getDefiningOp();
    int64_t sum = 0;
    for (Value value : added)
      // What a function is given is there as long as it runs.
      if (!isa<BlockArgument>(value) &&
          llvm::none_of(value.getUsers(),
                        [&](Operation *user) {
                          return user != producer &&
                                 !user->isBeforeInBlock(last);
                        }) &&
          kept.insert(value).second)
        sum += countBytes(value.getType());
    return sum;
  }

  /// Gives the user a producer of its own, which is then fused as any that has
  /// one use.
  void duplicate(OpBuilder &builder) const {
    builder.setInsertionPoint(use->getOwner());
    use->set(builder.clone(*use->get().getDefiningOp())->getResult(0));
  }

private:
  explicit Fusion(OpOperand &use) : use(&use) {}

  /// Counts `value`, or what else it can be computed from, where the user does
  /// not read it already.
  void addRead(Value value, AffineMap map, const Reads &known) {
    if (llvm::is_contained(known, std::pair(value, map)))
      return;
    int64_t whole = countBytes(value.getType());
    linalg::GenericOp producer = getCheapProducer(value);
    if (producer && map.isPermutation()) {
      int64_t sources = 0;
      for (const auto &read : getReadsThrough(producer, map))
        if (!llvm::is_contained(known, read))
          sources += countBytes(read.first.getType());
      if (sources < whole) {
        bytes += sources;
        return;
      }
    }
    bytes += whole;
    added.push_back(value);
  }

  OpOperand *use;
  int64_t bytes = 0;        ///< that the user reads only when fused
  SmallVector<Value> added; ///< the tensors of these
};

/// Duplicates the producer `op` into the users that read less for it, or into
/// all where it need not be written then. Returns whether it did.
bool duplicateIntoUsers(linalg::GenericOp op, bool conversions) {
  if (op->hasOneUse() || !getCheapProducer(op->getResult(0)))
    return false;
  SmallVector<Fusion> fusions;
  bool isRemovable = true;
  int64_t result = countBytes(op->getResult(0).getType());
  int64_t gain = result; // of the write
  for (auto &[value, map] : getReads(op))
    gain += countBytes(value.getType());
  Operation *last = op;
  for (OpOperand &use : op->getUses()) {
    std::optional<Fusion> fusion;
    if (isAllowed(use, conversions))
      fusion = Fusion::consider(use);
    isRemovable &= fusion.has_value();
    if (last->isBeforeInBlock(use.getOwner()))
      last = use.getOwner();
    if (!fusion)
      continue;
    gain += fusion->getGain();
    fusions.push_back(*fusion);
  }
  llvm::SmallDenseSet<Value> kept;
  int64_t keptBytes = 0;
  for (const Fusion &fusion : fusions)
    keptBytes += fusion.getKept(last, kept);
  // The result is not kept any more, so as much else may be.
  isRemovable &= gain > 0 && keptBytes <= result;
  if (!isRemovable)
    llvm::erase_if(fusions,
                   [&](const Fusion &fusion) { return fusion.getGain() <= 0; });
  OpBuilder builder(op);
  for (const Fusion &fusion : fusions)
    fusion.duplicate(builder);
  return !fusions.empty();
}

struct FuseElementwise
    : boostc::impl::FuseElementwisePassBase<FuseElementwise> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [this](OpOperand *operand) {
          Operation *producer = operand->get().getDefiningOp();
          return producer && producer->hasOneUse() &&
                 isAllowed(*operand, conversions);
        });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (!conversions)
      patterns.add<FoldFillOperand>(&getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    // Each pattern leaves fewer ops or operands, so there is a last round, also
    // where long chains of ops take more than the usual ten.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      do {
        if (failed(applyPatternsGreedily(function, frozen, config)))
          return signalPassFailure();
      } while (duplicate(function));
      expandIndices(function);
    }
  }

  /// Each round saves bytes, so there is a last one.
  bool duplicate(func::FuncOp function) {
    bool isChanged = false;
    for (auto op :
         llvm::to_vector(function.front().getOps<linalg::GenericOp>()))
      isChanged |= duplicateIntoUsers(op, conversions);
    return isChanged;
  }
};

} // namespace
