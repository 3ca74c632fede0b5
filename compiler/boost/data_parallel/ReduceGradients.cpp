// Gradients are summed over ranks before the update; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Analysis/SliceAnalysis.h"
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
  train::RankSumOp request = {}; ///< what the sum replaces, or null
};

struct ReduceGradients : boost::impl::ReduceGradientsPassBase<ReduceGradients> {
  using ReduceGradientsPassBase::ReduceGradientsPassBase;

  void runOnOperation() override {
    owned.clear();
    plain.clear();
    for (const train::StepVariant &variant : getOperation().getVariants())
      if (failed(findOwned(variant)))
        return signalPassFailure();
    SmallVector<func::FuncOp> endings = getOperation().getEndings();
    for (func::FuncOp function : endings) {
      update = function;
      if (update.getOps<CollectiveOpInterface>().empty() && failed(reduce()))
        return signalPassFailure();
    }
    rt::numberCollectives(endings);
  }

  /// Finds what is of this rank alone where a probe or an update takes it. The
  /// first one after the micro that returns it sums it over ranks.
  LogicalResult findOwned(const train::StepVariant &variant) {
    Bindings own;
    if (variant.probes.empty() && variant.update)
      plain.insert(variant.update);
    for (auto [micro, combine, ending, repeats] : variant.getPhases()) {
      if (!ending)
        continue;
      if (micro)
        for (unsigned i = 0; i < micro.getNumResults(); ++i)
          own.insert(rt::getResultBinding(micro, i));
      Bindings summed;
      for (BlockArgument argument : ending.getArguments()) {
        auto binding = rt::getArgumentBinding(argument);
        // A step of one phase says nothing of its micro.
        if (binding && rt::isAccumulator(binding.getKind()) &&
            (variant.probes.empty() || own.contains(binding)))
          summed.insert(binding);
      }
      auto [known, isNew] = owned.try_emplace(ending, summed);
      if (!isNew && known->second != summed)
        return ending.emitOpError(
            "takes sums of this rank in one phase and the same sums over all "
            "ranks in another one; expected a function for each");
      for (Attribute binding : summed) {
        if (repeats && !isReturned(micro, binding))
          return ending.emitOpError("is the probe of a phase that "
                                    "repeats and the first to take ")
                 << binding << ", which an earlier phase sums; expected the "
                 << "probe of that phase to take it, where ranks sum it once";
        own.erase(binding);
      }
    }
    return success();
  }

  static bool isReturned(func::FuncOp micro, Attribute binding) {
    return llvm::any_of(llvm::seq(micro.getNumResults()), [&](unsigned i) {
      return rt::getResultBinding(micro, i) == binding;
    });
  }

  LogicalResult reduce() {
    gradients.clear();
    others.clear();
    statistics.clear();
    findRankSums();
    Value sum, count, weight;
    for (BlockArgument argument : update.getArguments()) {
      auto binding = rt::getArgumentBinding(update, argument.getArgNumber());
      if (!binding)
        continue;
      if (binding.getKind() == rt::BindingKind::LossSum)
        sum = argument;
      else if (binding.getKind() == rt::BindingKind::LossCount)
        count = argument;
      else if (binding.getKind() == rt::BindingKind::LossWeight)
        weight = argument;
      else if (binding.getKind() == rt::BindingKind::Gradient &&
               isOwned(argument))
        gradients.push_back({argument, argument, binding.getName()});
      else if (binding.getKind() == rt::BindingKind::Accumulator &&
               isOwned(argument) && !isLocal(argument))
        others.push_back({argument, argument, {}});
    }
    if (gradients.empty() && update.getOps<train::RankSumOp>().empty() &&
        plain.contains(update))
      return success();
    if (failed(verifyMeans(count)))
      return failure();
    // A search for a step divides by weights alone, where samples have some.
    if (!gradients.empty() && (!sum || (!count && !weight)))
      return update.emitOpError("lacks an argument for the loss or for the "
                                "number of samples, which ranks sum");
    for (Value statistic : {sum, count, weight})
      if (statistic && isOwned(statistic))
        statistics.push_back({statistic, statistic, {}});
    if (gradients.empty() && others.empty() && statistics.empty())
      return success();
    reduceSums(count, weight);
    return success();
  }

  /// Finds what ranks compute of their own sums, and all that it is computed
  /// of.
  void findRankSums() {
    local.clear();
    for (auto request : update.getOps<train::RankSumOp>()) {
      BackwardSliceOptions options;
      options.inclusive = true;
      (void)getBackwardSlice(request.getValue(), &local, options);
      others.push_back({request.getValue(), request.getValue(), {}, request});
    }
  }

  /// Moves all that to the begin of the update, where sums are those of this
  /// rank alone. Returns where sums over ranks come.
  Block::iterator hoistLocal() {
    return hoist(update.front(), update.front().begin(),
                 [&](Operation *op) { return local.contains(op); });
  }

  /// Whether only what is moved reads it.
  bool isLocal(BlockArgument argument) const {
    return !argument.use_empty() &&
           llvm::all_of(argument.getUsers(),
                        [&](Operation *user) { return local.contains(user); });
  }

  /// Whether it is of this rank alone: an argument of the function at hand.
  bool isOwned(Value argument) const {
    rt::BindingAttr binding = rt::getArgumentBinding(argument);
    return binding && owned.at(update).contains(binding);
  }

  /// A sum over ranks is a mean already where averages are not those of all
  /// samples, and does not say how many ranks it is of.
  LogicalResult verifyMeans(Value count) {
    train::AveragingAttr averaging = getAveraging(getOperation());
    if (averaging.getMicroBatches() == Reduction::Mean &&
        averaging.getRanks() == Reduction::Mean)
      return success();
    auto refuse = [&](InFlightDiagnostic diagnostic) -> LogicalResult {
      return diagnostic << ", which is implemented for "
                        << train::AveragingAttr::get(
                               &getContext(), Reduction::Mean, Reduction::Mean)
                        << " alone; found " << averaging;
    };
    for (auto mean : update.getOps<train::DivideGradientOp>())
      if (isBoundTo(mean.getGradient(), rt::BindingKind::Gradient) &&
          !isOwned(mean.getGradient()))
        return refuse(mean.emitOpError(
            "divides a gradient that an earlier phase has summed"));
    if (!gradients.empty() && count && !isOwned(count))
      return refuse(update.emitOpError("takes gradients of this rank and the "
                                       "number of samples of all ranks"));
    return success();
  }

  void reduceSums(Value count, Value weight) {
    train::AveragingAttr averaging = getAveraging(getOperation());
    bool sumsMicroBatches = averaging.getMicroBatches() == Reduction::Sum;
    bool sumsRanks = averaging.getRanks() == Reduction::Sum;
    SmallVector<train::DivideGradientOp> means; ///< of a step's gradients
    for (auto mean : update.getOps<train::DivideGradientOp>())
      if (isBoundTo(mean.getGradient(), rt::BindingKind::Gradient))
        means.push_back(mean);
    OpBuilder builder(&update.front(), hoistLocal());
    if (sumsRanks && !sumsMicroBatches)
      for (Exchanged &gradient : gradients)
        gradient.value = train::DivideGradientOp::create(
            builder, gradient.argument.getLoc(), gradient.value,
            weight ? weight : count);
    if (sumsMicroBatches && !sumsRanks && !gradients.empty()) {
      Value ranks = train::HasSamplesOp::create(
          builder, update.getLoc(),
          RankedTensorType::get({}, builder.getI64Type()),
          weight ? weight : count);
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
    SmallVector<size_t> ends = findBucketEnds(
        llvm::map_to_vector(gradients,
                            [](const Exchanged &exchanged) {
                              return countBytes(exchanged.value.getType());
                            }),
        bucketBytes);
    llvm::append_range(gradients, statistics);
    if (ends.empty())
      ends.push_back(0);
    ends.back() = gradients.size();
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
      if (train::RankSumOp request = exchanged.request) {
        request.replaceAllUsesWith(sum);
        request.erase();
        continue;
      }
      auto argument = dyn_cast<BlockArgument>(exchanged.argument);
      if (!argument)
        continue;
      // What is before it computed what is summed.
      argument.replaceUsesWithIf(sum, [&](OpOperand &use) {
        return op->isBeforeInBlock(
            update.front().findAncestorOpInBlock(*use.getOwner()));
      });
      rt::addResult(update, sum,
                    rt::getArgumentBinding(update, argument.getArgNumber()));
    }
    return op;
  }

  using Bindings = llvm::DenseSet<Attribute>;
  llvm::DenseMap<Operation *, Bindings> owned; ///< by probe or update
  llvm::DenseSet<Operation *> plain;  ///< updates of steps of one phase
  llvm::SetVector<Operation *> local; ///< computed before sums over ranks
  func::FuncOp update;                ///< or a probe
  SmallVector<Exchanged> gradients;
  SmallVector<Exchanged> others;     ///< accumulators that are declared
  SmallVector<Exchanged> statistics; ///< with the last bucket: loss and count
};

} // namespace
