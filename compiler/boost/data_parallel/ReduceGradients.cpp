// Gradients are summed over ranks before the update; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace boostc::boost {
#define GEN_PASS_DEF_REDUCEGRADIENTSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using train::Reduction;

namespace {

/// What goes through an all-reduce.
struct Exchanged {
  Value argument; ///< of @update, or a number made of one
  Value value;    ///< what is summed: the argument, or its mean
  StringRef name; ///< of the parameter, empty where it is not a gradient
};

struct ReduceGradients : boost::impl::ReduceGradientsPassBase<ReduceGradients> {
  using ReduceGradientsPassBase::ReduceGradientsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> updates = getOperation().getUpdates();
    for (func::FuncOp function : updates) {
      update = function;
      if (update.getOps<CollectiveOpInterface>().empty() && failed(reduce()))
        return signalPassFailure();
    }
    rt::numberCollectives(updates);
  }

  LogicalResult reduce() {
    gradients.clear();
    others.clear();
    Value sum, count;
    for (BlockArgument argument : update.getArguments()) {
      auto binding = rt::getArgumentBinding(update, argument.getArgNumber());
      if (!binding)
        continue;
      if (binding.getKind() == rt::BindingKind::Gradient)
        gradients.push_back({argument, argument, binding.getName()});
      else if (binding.getKind() == rt::BindingKind::Accumulator)
        others.push_back({argument, argument, {}});
      else if (binding.getKind() == rt::BindingKind::LossSum)
        sum = argument;
      else if (binding.getKind() == rt::BindingKind::LossCount)
        count = argument;
    }
    if (gradients.empty())
      return success();
    if (!sum || !count)
      return update.emitOpError("lacks an argument for the loss or for the "
                                "number of samples, which ranks sum");
    statistics = {{sum, sum, {}}, {count, count, {}}};
    reduceSums(count);
    return success();
  }

  void reduceSums(Value count) {
    train::AveragingAttr averaging = getAveraging(getOperation());
    bool sumsMicroBatches = averaging.getMicroBatches() == Reduction::Sum;
    bool sumsRanks = averaging.getRanks() == Reduction::Sum;
    SmallVector<train::DivideGradientOp> means; ///< of a step's gradients
    for (auto mean : update.getOps<train::DivideGradientOp>())
      if (isBoundTo(mean.getGradient(), rt::BindingKind::Gradient))
        means.push_back(mean);
    OpBuilder builder = OpBuilder::atBlockBegin(&update.front());
    if (sumsRanks && !sumsMicroBatches)
      for (Exchanged &gradient : gradients)
        gradient.value = train::DivideGradientOp::create(
            builder, gradient.argument.getLoc(), gradient.value, count);
    if (sumsMicroBatches && !sumsRanks) {
      Value ranks = train::HasSamplesOp::create(builder, update.getLoc(),
                                                count.getType(), count);
      statistics.push_back({ranks, ranks, {}});
    }
    Operation *last = nullptr;
    for (ArrayRef<Exchanged> bucket : cutBuckets())
      last = buildAllReduce(builder, bucket);
    if (sumsRanks)
      eraseMeans(means);
    else if (sumsMicroBatches)
      for (train::DivideGradientOp mean : means)
        mean.getCountMutable().assign(last->getResults().back());
  }

  /// Everything in the order in which it is exchanged, in parts of it.
  SmallVector<ArrayRef<Exchanged>> cutBuckets() {
    // The last parameter's gradient is the first that the backward has.
    std::reverse(gradients.begin(), gradients.end());
    llvm::append_range(gradients, others);
    SmallVector<size_t> ends;
    uint64_t bytes = 0;
    for (auto [i, exchanged] : llvm::enumerate(gradients)) {
      auto own = static_cast<uint64_t>(countBytes(exchanged.value.getType()));
      if (i > 0 && bytes + own > bucketBytes) {
        ends.push_back(i);
        bytes = 0;
      }
      bytes += own;
    }
    llvm::append_range(gradients, statistics);
    ends.push_back(gradients.size());
    SmallVector<ArrayRef<Exchanged>> buckets;
    size_t begin = 0;
    for (size_t end : ends) {
      buckets.push_back(ArrayRef(gradients).slice(begin, end - begin));
      begin = end;
    }
    return buckets;
  }

  /// One bucket; what read its values reads their sums.
  Operation *buildAllReduce(OpBuilder &builder, ArrayRef<Exchanged> bucket) {
    SmallVector<StringRef> served;
    SmallVector<Value> values;
    for (const Exchanged &exchanged : bucket) {
      values.push_back(exchanged.value);
      if (!exchanged.name.empty())
        served.push_back(exchanged.name);
    }
    auto op = coll::AllReduceOp::create(
        builder, getLocation(getOperation(), served), 0, rt::RankGroup::All,
        getSymbols(&getContext(), served), values);
    for (auto [exchanged, sum] : llvm::zip(bucket, op.getResults())) {
      auto argument = dyn_cast<BlockArgument>(exchanged.argument);
      if (!argument)
        continue;
      // What is before it computed what is summed.
      argument.replaceUsesWithIf(sum, [&](OpOperand &use) {
        return op->isBeforeInBlock(
            update.front().findAncestorOpInBlock(*use.getOwner()));
      });
      addResult(update, sum,
                rt::getArgumentBinding(update, argument.getArgNumber()));
    }
    return op;
  }

  func::FuncOp update;
  SmallVector<Exchanged> gradients;
  SmallVector<Exchanged> others;     ///< accumulators that are declared
  SmallVector<Exchanged> statistics; ///< with the last bucket: loss and count
};

} // namespace
