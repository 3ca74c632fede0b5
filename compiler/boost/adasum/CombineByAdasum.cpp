// Groups of ranks average, their results are combined by Adasum; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

namespace boostc::boost {
#define GEN_PASS_DEF_COMBINEBYADASUMPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

namespace {

/// An accumulator that is not a gradient, or what a rank computes of some:
/// summed over all ranks in any mode.
struct Shared {
  Value own; ///< this rank's part
  Value sum;
};

/// A gradient on its way to the update.
struct Gradient {
  StringRef name; ///< of its parameter
  Value sum;      ///< over the inner group
  size_t bucket;
};

struct CombineByAdasum : boost::impl::CombineByAdasumPassBase<CombineByAdasum> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    adasum = program->getAttrOfType<train::AdasumAttr>(train::kAdasumAttrName);
    if (!adasum)
      return;
    for (func::FuncOp update : program.getUpdates()) {
      function = update;
      if (function.getOps<coll::AdasumOp>().empty() && failed(combineRanks()))
        return signalPassFailure();
    }
    rt::numberCollectives(program.getEndings());
  }

  LogicalResult combineRanks() {
    auto reductions = llvm::to_vector(function.getOps<coll::AllReduceOp>());
    auto commits = llvm::to_vector(function.getOps<train::CommitOp>());
    if (reductions.empty() || commits.size() != 1)
      return function.emitOpError("expected gradients that are summed over "
                                  "ranks and one train.commit, found ")
             << reductions.size() << " all-reduces and " << commits.size()
             << " commits";
    commit = commits.front();
    divisor = {};
    averageInside(reductions);
    means.clear();
    for (auto mean : function.getOps<train::DivideGradientOp>())
      if (llvm::is_contained(llvm::map_range(gradients, getSum),
                             mean.getGradient()))
        means.push_back(mean);
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(shareProbes(reductions.back()));
    if (adasum.getMode() == train::AdasumMode::Gradient)
      combineGradients(builder);
    else if (failed(combineDeltas(builder)))
      return failure();
    for (coll::AllReduceOp reduction : reductions)
      reduction.erase();
    return success();
  }

  /// Makes the sums of gradients those of the inner group. `reductions` stay,
  /// for those who read what is shared.
  void averageInside(ArrayRef<coll::AllReduceOp> reductions) {
    gradients.clear();
    shared.clear();
    llvm::DenseSet<Value> divisors = findDivisors(reductions);
    for (size_t bucket = 0; bucket < reductions.size(); ++bucket) {
      coll::AllReduceOp op = reductions[bucket];
      size_t served = op.getParameters().size();
      SmallVector<Value> values(op.getOperands().take_front(served));
      Value weight;
      for (size_t i = served; i < op.getNumOperands(); ++i) {
        Value own = op.getOperand(i);
        bool isDivisor = divisors.contains(op.getResult(i));
        // The number of ranks in a group divides alone.
        if (!isDivisor || rt::getArgumentBinding(own))
          shared.push_back({own, op.getResult(i)});
        if (isDivisor)
          values.push_back(weight = own);
      }
      if (values.empty())
        continue;
      OpBuilder builder(op);
      auto inner = coll::AllReduceOp::create(builder, op.getLoc(), 0u,
                                             rt::RankGroup::IntraGroup,
                                             op.getParameters(), values);
      for (size_t i = 0; i < served; ++i) {
        gradients.push_back({CollectiveOpInterface(op).getParameter(i),
                             inner.getResult(i), bucket});
        op.getResult(i).replaceAllUsesWith(inner.getResult(i));
      }
      if (weight)
        divisor = inner.getResults().back();
    }
  }

  /// What the update asks of gradients being finite it asks of those of all
  /// ranks, so that all have the same answer. These ops come after `reduction`;
  /// returns the last of them, or it.
  Operation *shareProbes(Operation *reduction) {
    Operation *last = reduction;
    for (auto probe :
         llvm::make_early_inc_range(function.getOps<train::NotFiniteOp>())) {
      probe->moveAfter(last);
      shared.push_back({probe, probe});
      last = probe;
    }
    return last;
  }

  /// The results of `reductions` by which sums of gradients are divided: the
  /// number of samples or the sum of their weights, or the number of ranks that
  /// have some where their means are averaged.
  llvm::DenseSet<Value> findDivisors(ArrayRef<coll::AllReduceOp> reductions) {
    llvm::DenseSet<Value> sums, divisors;
    for (coll::AllReduceOp op : reductions)
      sums.insert_range(op.getResults().take_front(op.getParameters().size()));
    for (auto mean : function.getOps<train::DivideGradientOp>())
      if (sums.contains(mean.getGradient()))
        divisors.insert(mean.getCount());
    return divisors;
  }

  static Value getSum(const Gradient &gradient) { return gradient.sum; }

  /// Sums over all ranks, for states, the report and the decision to apply the
  /// step; `nonfiniteRanks`, where given, with the rest. Returns the sums.
  ValueRange sumOverAll(OpBuilder &builder, Value nonfiniteRanks = {}) {
    SmallVector<Value> values;
    for (const Shared &accumulator : shared)
      values.push_back(accumulator.own);
    if (nonfiniteRanks)
      values.push_back(nonfiniteRanks);
    auto op = coll::AllReduceOp::create(builder, commit.getLoc(), 0u,
                                        rt::RankGroup::All,
                                        getSymbols(&getContext(), {}), values);
    for (auto [accumulator, sum] : llvm::zip(shared, op.getResults())) {
      accumulator.sum.replaceAllUsesExcept(sum, op);
      accumulator.sum = sum;
    }
    return op.getResults();
  }

  void combineGradients(OpBuilder &builder) {
    sumOverAll(builder);
    SmallVector<Value> averaged;
    for (const Gradient &gradient : gradients) {
      Value mean =
          divisor ? train::DivideGradientOp::create(
                        builder, gradient.sum.getLoc(), gradient.sum, divisor)
                  : gradient.sum;
      // Adasum combines gradients of one scale, whatever they are scaled by.
      if (Value scale = takeScale(gradient.sum))
        mean = train::UnscaleGradientOp::create(builder, mean.getLoc(), mean,
                                                scale);
      averaged.push_back(mean);
    }
    SmallVector<Value> combined = combine(builder, averaged);
    // What comes out is the mean already.
    eraseMeans(means);
    for (auto [gradient, result] : llvm::zip(gradients, combined))
      replaceFrom(*commit, gradient.sum, result);
  }

  /// Takes the division by a loss scale out of what follows `gradient`, and
  /// returns the scale; null where there is none.
  static Value takeScale(Value gradient) {
    for (Operation *user : gradient.getUsers()) {
      if (auto mean = dyn_cast<train::DivideGradientOp>(user)) {
        if (Value scale = takeScale(mean.getResult()))
          return scale;
      } else if (auto op = dyn_cast<train::UnscaleGradientOp>(user)) {
        Value scale = op.getScale();
        // A fixed one is a constant, which may come later.
        if (Operation *constant = scale.getDefiningOp())
          constant->moveBefore(&op->getBlock()->front());
        op.replaceAllUsesWith(gradient);
        op.erase();
        return scale;
      }
    }
    return {};
  }

  LogicalResult combineDeltas(OpBuilder &builder) {
    // Each rank looks at its own loss and group, and at the sums that all have.
    SmallVector<Value> checked;
    for (const Shared &accumulator : shared)
      if (isBoundTo(accumulator.own, rt::BindingKind::LossSum))
        checked.push_back(accumulator.own);
    for (const Gradient &gradient : gradients)
      checked.push_back(gradient.sum);
    Value nonfiniteRanks = train::NotFiniteOp::create(
        builder, commit.getLoc(),
        RankedTensorType::get({}, builder.getI64Type()), checked);
    commit.getNonfiniteRanksMutable().assign(
        sumOverAll(builder, nonfiniteRanks).back());
    SmallVector<Value> common;
    for (const Shared &accumulator : shared)
      if ((isBoundTo(accumulator.own, rt::BindingKind::Accumulator) ||
           isBoundTo(accumulator.own, rt::BindingKind::LossWeight)) &&
          llvm::is_contained(commit.getValues(), accumulator.sum))
        common.push_back(accumulator.sum);
    commit.getValuesMutable().assign(common);
    if (divisor)
      for (train::DivideGradientOp mean : means)
        mean.getCountMutable().assign(divisor);
    else
      eraseMeans(means);

    SmallVector<ScalarUpdateOpInterface> rules;
    for (const Gradient &gradient : gradients) {
      ScalarUpdateOpInterface rule = findRule(gradient.name);
      if (!rule)
        return function.emitOpError("has no rule for parameter @")
               << gradient.name << ", whose gradient ranks sum";
      rules.push_back(rule);
    }
    builder.setInsertionPointAfter(
        *llvm::max_element(rules, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        }));
    SmallVector<Value> deltas;
    for (ScalarUpdateOpInterface rule : rules) {
      rule.giveDelta();
      deltas.push_back(rule->getResult(0));
    }
    SmallVector<Value> combined = combine(builder, deltas);
    Operation *end = function.front().getTerminator();
    for (auto [gradient, rule, result] :
         llvm::zip(gradients, rules, combined)) {
      Value applied =
          train::ApplyDeltaOp::create(builder, rule.getLoc(), result,
                                      rule->getOperand(0), commit.getApplied());
      end->replaceUsesOfWith(rule->getResult(0), applied);
      // The change has the gradient's memory.
      end->replaceUsesOfWith(gradient.sum, result);
    }
    return success();
  }

  /// The rule that changes a parameter.
  ScalarUpdateOpInterface findRule(StringRef name) {
    for (auto rule : function.getOps<ScalarUpdateOpInterface>())
      if (getParameter(rule) == name)
        return rule;
    return {};
  }

  /// `op` and the ops after it read `other` in place of `value`.
  static void replaceFrom(Operation &op, Value value, Value other) {
    value.replaceUsesWithIf(other, [&](OpOperand &use) {
      return !use.getOwner()->isBeforeInBlock(&op);
    });
  }

  /// `values`, one for each gradient, combined over the groups of ranks.
  SmallVector<Value> combine(OpBuilder &builder, ArrayRef<Value> values) {
    // What is one vector is in one collective.
    llvm::MapVector<size_t, SmallVector<size_t>> parts;
    for (auto [i, gradient] : llvm::enumerate(gradients))
      parts[adasum.getGranularity() == train::Granularity::PerTensor
                ? gradient.bucket
                : getGroup(gradient.name)]
          .push_back(i);
    SmallVector<Value> combined(values.size());
    for (const auto &[key, members] : parts) {
      SmallVector<StringRef> names;
      SmallVector<Value> exchanged;
      SmallVector<int32_t> groups;
      for (size_t i : members) {
        names.push_back(gradients[i].name);
        exchanged.push_back(values[i]);
        groups.push_back(getGroup(gradients[i].name));
      }
      auto op = coll::AdasumOp::create(
          builder, getLocation(getOperation(), names), 0u,
          rt::RankGroup::InterGroup, getSymbols(&getContext(), names), groups,
          exchanged);
      for (auto [i, result] : llvm::zip(members, op.getResults()))
        combined[i] = result;
    }
    return combined;
  }

  /// The vector that a parameter belongs to.
  int32_t getGroup(StringRef name) {
    int32_t index = 0;
    for (auto parameter : getOperation().getOps<train::ParameterOp>()) {
      if (parameter.getSymName() == name)
        break;
      ++index;
    }
    switch (adasum.getGranularity()) {
    case train::Granularity::PerTensor:
      return index;
    case train::Granularity::PerGroup:
      return llvm::count_if(adasum.getCuts().asArrayRef(),
                            [&](int64_t cut) { return cut <= index; });
    case train::Granularity::Whole:
      return 0;
    }
    llvm_unreachable("all granularities are listed");
  }

  train::AdasumAttr adasum;
  func::FuncOp function;
  train::CommitOp commit;
  SmallVector<train::DivideGradientOp> means; ///< of the inner group's sums
  SmallVector<Gradient> gradients;
  SmallVector<Shared> shared;
  Value divisor; ///< of a group's sums; null where they are means
};

} // namespace
