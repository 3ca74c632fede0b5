// Sums of gradients over ranks as a sum of slices and a gather; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"

namespace boostc::boost {
#define GEN_PASS_DEF_DECOMPOSEALLREDUCEPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;

/// What reads one of `results` first, in `block`.
static Operation *getFirstUser(Block *block, ResultRange results) {
  Operation *first = nullptr;
  for (Operation *user : results.getUsers()) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

static void decompose(coll::AllReduceOp op) {
  size_t served = op.getParameters().size();
  if (served == 0)
    return;
  OperandRange exchanged = op.getOperands();
  OpBuilder builder(op);
  auto slices = coll::ReduceScatterOp::create(
      builder, op.getLoc(), 0u, op.getRanks(), op.getParameters(),
      ValueRange(exchanged.take_front(served)));
  SmallVector<Value> rest;
  if (exchanged.size() > served) {
    auto sums = coll::AllReduceOp::create(
        builder, op.getLoc(), 0u, op.getRanks(), builder.getArrayAttr({}),
        ValueRange(exchanged.drop_front(served)));
    llvm::append_range(rest, sums.getResults());
  }
  if (Operation *user =
          getFirstUser(op->getBlock(), op.getResults().take_front(served)))
    builder.setInsertionPoint(user);
  auto gathered =
      coll::AllGatherOp::create(builder, op.getLoc(), 0u, op.getRanks(),
                                op.getParameters(), slices.getResults());
  SmallVector<Value> results(gathered.getResults());
  llvm::append_range(results, rest);
  op.replaceAllUsesWith(results);
  op.erase();
}

namespace {

struct DecomposeAllReduce
    : boost::impl::DecomposeAllReducePassBase<DecomposeAllReduce> {
  void runOnOperation() override {
    func::FuncOp update = getOperation().getFunction(train::kUpdate);
    if (!update)
      return;
    for (auto op : llvm::to_vector(update.getOps<coll::AllReduceOp>()))
      decompose(op);
    rt::numberCollectives(update);
  }
};

} // namespace
