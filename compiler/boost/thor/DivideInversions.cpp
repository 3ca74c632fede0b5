// THOR: ranks share the inversions of factors; see Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace boostc::boost {
#define GEN_PASS_DEF_DIVIDEINVERSIONSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

namespace {

/// Inversions of factors that ranks sum, and that nothing else reads.
class InversionDivider {
public:
  explicit InversionDivider(func::FuncOp update)
      : update(update), context(update.getContext()), loc(update.getLoc()),
        count(RankedTensorType::get({}, IntegerType::get(context, 64))) {}

  /// Finds them; returns what they cost.
  int64_t find() {
    for (auto op : update.getOps<coll::AllReduceOp>())
      last = op;
    int64_t flops = 0;
    for (auto op : update.getOps<thor::DampedInverseOp>())
      if (isDivisible(op)) {
        inversions.push_back(op);
        flops += op.getFlops();
      }
    // What has most flops in a row first: rows of any cost are shared evenly.
    llvm::stable_sort(inversions, [](auto one, auto other) {
      return countRowFlops(one) > countRowFlops(other);
    });
    return flops;
  }

  void divide() {
    Block::iterator end = moveInversions();
    OpBuilder builder(context);
    builder.setInsertionPointAfter(last);
    scatterSums(builder);
    builder.setInsertionPoint(&update.front(), end);
    gatherInverses(builder);
  }

private:
  /// Whether the factor is a sum over all ranks that nothing else reads, and
  /// the inversion needs no other one, nor what ranks exchange after the last
  /// sum. What is returned lies in the memory of the sum.
  bool isDivisible(thor::DampedInverseOp op) {
    auto sum = op.getFactor().getDefiningOp<coll::AllReduceOp>();
    if (!sum || sum.getRanks() != rt::RankGroup::All || op.getFlags() ||
        !last->isBeforeInBlock(op))
      return false;
    for (Operation *user : op.getFactor().getUsers())
      if (user != op && !isa<func::ReturnOp>(user))
        return false;
    return llvm::none_of(getSlice(op), [&](Operation *of) {
      return of != op && last->isBeforeInBlock(of) &&
             isa<CollectiveOpInterface, thor::DampedInverseOp>(of);
    });
  }

  static SetVector<Operation *> getSlice(Operation *op) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(op, &slice, options);
    return slice;
  }

  static int64_t countBlocks(thor::DampedInverseOp op) {
    return op.getFactor().getType().getDimSize(0);
  }
  static int64_t countRowFlops(thor::DampedInverseOp op) {
    return op.getFlops() / countBlocks(op);
  }

  /// Moves them to after the last sum, with what they are computed of. Returns
  /// what they come before.
  Block::iterator moveInversions() {
    llvm::DenseSet<Operation *> moved;
    for (thor::DampedInverseOp op : inversions)
      moved.insert_range(getSlice(op));
    return hoist(update.front(), std::next(last->getIterator()),
                 [&](Operation *op) { return moved.contains(op); });
  }

  /// Lets each rank have the sums of its slice alone, and invert these blocks.
  void scatterSums(OpBuilder &builder) {
    SmallVector<Value> own, ones;
    for (thor::DampedInverseOp op : inversions) {
      auto sum = cast<OpResult>(op.getFactor());
      own.push_back(sum.getOwner()->getOperand(sum.getResultNumber()));
      sums.insert(sum);
      auto type =
          RankedTensorType::get({countBlocks(op)}, count.getElementType());
      ones.push_back(buildInteger(builder, loc, type, 1));
    }
    auto scattered = coll::ReduceScatterOp::create(
        builder, loc, 0, rt::RankGroup::All, getSymbols(context, {}), own);
    auto flags = coll::OwnSliceOp::create(builder, loc, 0, rt::RankGroup::All,
                                          getSymbols(context, {}), ones);
    for (auto [i, op] : llvm::enumerate(inversions)) {
      op.getFactor().replaceAllUsesWith(scattered.getResult(i));
      op.getFlagsMutable().assign(flags.getResult(i));
    }
    for (auto op :
         llvm::make_early_inc_range(update.getOps<coll::AllReduceOp>()))
      eraseSums(op);
  }

  /// Lets `op` exchange what is not in `sums`.
  void eraseSums(coll::AllReduceOp op) {
    SmallVector<Value> operands, results;
    for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults()))
      if (!sums.contains(result)) {
        operands.push_back(operand);
        results.push_back(result);
      }
    if (operands.size() == op.getNumOperands())
      return;
    if (!operands.empty()) {
      OpBuilder builder(op);
      auto rest = coll::AllReduceOp::create(
          builder, op.getLoc(), 0, op.getRanks(), op.getParameters(), operands);
      for (auto [result, other] : llvm::zip(results, rest.getResults()))
        result.replaceAllUsesWith(other);
    }
    op.erase();
  }

  /// Lets all ranks have all inverses, and know how many blocks have none.
  void gatherInverses(OpBuilder &builder) {
    SmallVector<Value> own, failures;
    for (thor::DampedInverseOp op : inversions) {
      own.push_back(op.getResult());
      failures.push_back(
          arith::ExtUIOp::create(builder, loc, count, op.getFailed()));
    }
    auto all = coll::AllGatherOp::create(builder, loc, 0, rt::RankGroup::All,
                                         getSymbols(context, {}), own);
    auto failed = coll::AllReduceOp::create(builder, loc, 0, rt::RankGroup::All,
                                            getSymbols(context, {}), failures);
    for (auto [i, op] : llvm::enumerate(inversions)) {
      op.getResult().replaceAllUsesExcept(all.getResult(i), all);
      auto flag = cast<RankedTensorType>(op.getFailed().getType());
      Value total =
          arith::TruncIOp::create(builder, loc, flag, failed.getResult(i));
      op.getFailed().replaceAllUsesExcept(total, failures[i].getDefiningOp());
    }
  }

  func::FuncOp update;
  MLIRContext *context;
  Location loc;
  RankedTensorType count;
  SmallVector<thor::DampedInverseOp> inversions;
  llvm::DenseSet<Value> sums; ///< of their factors
  Operation *last = nullptr;  ///< sum over ranks
};

struct DivideInversions
    : boost::impl::DivideInversionsPassBase<DivideInversions> {
  using DivideInversionsPassBase::DivideInversionsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> endings = getOperation().getEndings();
    for (func::FuncOp update : endings) {
      InversionDivider divider(update);
      int64_t flops = divider.find();
      if (flops > 0 && flops >= minFlops)
        divider.divide();
    }
    rt::numberCollectives(endings);
  }
};

} // namespace
