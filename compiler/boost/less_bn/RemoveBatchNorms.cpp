// less_bn: blocks without the norms that they do not need; see Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/less_bn/BlockNorms.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace boostc::boost {
#define GEN_PASS_DEF_REMOVEBATCHNORMSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

namespace {

class NormRemover {
public:
  explicit NormRemover(train::ProgramOp program) : program(program) {}

  LogicalResult run() {
    size_t count = 0, removed = 0;
    for (func::FuncOp forward : program.getDifferentiated()) {
      count += getBatchNorms(forward).size();
      for (Operation *norm : findBlockNorms(forward)) {
        SmallVector<StringRef> memory = getMemory(norm);
        owned.insert_range(memory);
        removed += !memory.empty();
      }
    }
    report(removed, count);
    if (removed == 0)
      return success();
    for (func::FuncOp callee : program.getCallees())
      if (failed(bypassNorms(callee)))
        return failure();
    nameUnread();
    return removeMemory();
  }

private:
  /// The parameters and states that a norm reads itself or through what is
  /// computed of its moments: the same names in training and in evaluation.
  static SmallVector<StringRef> getMemory(Operation *norm) {
    SmallVector<StringRef> names;
    auto add = [&](Operation *op) {
      for (Value operand : op->getOperands().drop_front())
        if (rt::BindingAttr binding = rt::getArgumentBinding(operand);
            binding && (binding.getKind() == rt::BindingKind::Parameter ||
                        binding.getKind() == rt::BindingKind::State))
          names.push_back(binding.getName());
    };
    add(norm);
    for (Value moments : norm->getResults().drop_front())
      for (Operation *user : moments.getUsers())
        add(user);
    return names;
  }

  void report(size_t removed, size_t count) {
    if (removed > 0)
      emitRemark(program.getLoc()) << "less_bn removes " << removed << " of "
                                   << count << " batch_norm layers";
    else if (count > 0)
      emitRemark(program.getLoc())
          << "less_bn removes no batch_norm layer: none of the " << count
          << " is one of several in a residual block, a linear bottleneck or "
             "a dense block";
    else
      emitRemark(program.getLoc())
          << "less_bn removes no batch_norm layer: the model has none";
  }

  /// Lets what reads the norms that go read their inputs, and takes what
  /// followed from their moments out of `callee` and its calls.
  LogicalResult bypassNorms(func::FuncOp callee) {
    llvm::BitVector results(callee.getNumResults());
    for (Operation *norm : getBatchNorms(callee)) {
      SmallVector<StringRef> memory = getMemory(norm);
      if (llvm::none_of(memory,
                        [&](StringRef name) { return owned.contains(name); }))
        continue;
      owned.insert_range(memory); // an evaluation reads the variances, too
      norm->getResult(0).replaceAllUsesWith(norm->getOperand(0));
      markResults(norm, results);
    }
    nameAccumulators(callee, results);
    eraseResultsOfNames();
    llvm::BitVector none(callee.getNumArguments());
    return shrinkCallee(program, callee, results, none);
  }

  /// The memory of the norms, but for what other layers read too.
  void nameUnread() {
    for (func::FuncOp callee : program.getCallees())
      for (BlockArgument argument : callee.getArguments())
        if (rt::BindingAttr binding = rt::getArgumentBinding(argument);
            binding && !argument.use_empty())
          owned.erase(binding.getName());
    names.insert_range(owned.keys());
  }

  /// The results of the function that follow from the moments of `norm`.
  static void markResults(Operation *norm, llvm::BitVector &results) {
    SmallVector<Operation *> following = {norm};
    for (size_t i = 0; i < following.size(); ++i)
      for (OpOperand &use : following[i]->getUses()) {
        if (isa<func::ReturnOp>(use.getOwner()))
          results.set(use.getOperandNumber());
        else if (!llvm::is_contained(following, use.getOwner()))
          following.push_back(use.getOwner());
      }
  }

  /// The accumulators that steps make of the results of `callee`.
  void nameAccumulators(func::FuncOp callee, const llvm::BitVector &results) {
    program.walk([&](train::ValueAndGradOp op) {
      if (op.getCallee() != callee.getSymName())
        return;
      auto micro = op->getParentOfType<func::FuncOp>();
      for (auto [number, value] :
           llvm::zip_equal(op.getOutputNumbers(), op.getOutputValues())) {
        if (!results[number])
          continue;
        for (OpOperand &use : value.getUses())
          if (isa<func::ReturnOp>(use.getOwner()))
            if (rt::BindingAttr binding =
                    rt::getResultBinding(micro, use.getOperandNumber()))
              names.insert(binding.getName());
      }
    });
  }

  bool isNamed(rt::BindingAttr binding) const {
    return names.contains(binding.getName());
  }

  void eraseResultsOfNames() {
    for (func::FuncOp function : program.getOps<func::FuncOp>())
      eraseResults(function,
                   [&](rt::BindingAttr binding) { return isNamed(binding); });
  }

  /// Arguments and declarations of what the norms had.
  LogicalResult removeMemory() {
    renumberCuts();
    if (failed(renumberLossScaleGroups()))
      return failure();
    for (train::StateOp state : program.getOps<train::StateOp>())
      if (state.getParameter() && names.contains(*state.getParameter()))
        names.insert(state.getSymName());
    eraseResultsOfNames();
    for (func::FuncOp callee : program.getCallees()) {
      llvm::BitVector arguments(callee.getNumArguments());
      for (BlockArgument argument : callee.getArguments())
        if (rt::BindingAttr binding = rt::getArgumentBinding(argument))
          arguments[argument.getArgNumber()] =
              argument.use_empty() && isNamed(binding);
      llvm::BitVector none(callee.getNumResults());
      if (failed(shrinkCallee(program, callee, none, arguments)))
        return failure();
    }
    for (func::FuncOp function : program.getOps<func::FuncOp>())
      if (failed(eraseArguments(function, [&](rt::BindingAttr binding) {
            return isNamed(binding);
          })))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front()))
      if (isa<train::ParameterOp, train::StateOp, train::AccumulatorOp>(op) &&
          names.contains(SymbolTable::getSymbolName(&op).getValue()))
        op.erase();
    return success();
  }

  /// Groups of gradients begin where they did, in fewer parameters.
  void renumberCuts() {
    auto adasum =
        program->getAttrOfType<train::AdasumAttr>(train::kAdasumAttrName);
    if (!adasum)
      return;
    SmallVector<int64_t> kept = {0}; // parameters before each number
    for (train::ParameterOp parameter : program.getOps<train::ParameterOp>())
      kept.push_back(kept.back() + !names.contains(parameter.getSymName()));
    SmallVector<int64_t> cuts;
    for (int64_t cut : adasum.getCuts().asArrayRef())
      if (kept[cut] > (cuts.empty() ? 0 : cuts.back()) &&
          kept[cut] < kept.back())
        cuts.push_back(kept[cut]);
    MLIRContext *context = program.getContext();
    program->setAttr(
        train::kAdasumAttrName,
        train::AdasumAttr::get(context, adasum.getMode(),
                               adasum.getGranularity(), adasum.getScope(),
                               DenseI64ArrayAttr::get(context, cuts)));
  }

  /// Groups of loss scales keep their numbers, so each keeps a parameter.
  LogicalResult renumberLossScaleGroups() {
    auto groups = program->getAttrOfType<train::LossScaleGroupsAttr>(
        train::kLossScaleGroupsAttrName);
    if (!groups)
      return success();
    SmallVector<int64_t> sizes(groups.getGroupCount(), 0);
    SmallVector<train::ParameterOp> lost(groups.getGroupCount());
    for (auto [index, parameter] :
         llvm::enumerate(program.getOps<train::ParameterOp>())) {
      int64_t group = groups.getGroup(static_cast<int64_t>(index));
      if (!names.contains(parameter.getSymName()))
        ++sizes[group];
      else if (!lost[group])
        lost[group] = parameter;
    }
    SmallVector<int64_t> cuts;
    int64_t begin = 0;
    for (auto [group, size] : llvm::enumerate(sizes)) {
      if (size == 0)
        return lost[group].emitError()
               << "less_bn removes '" << lost[group].getSymName()
               << "' and all else in loss scale group " << group + 1
               << "; put these layers into a group with others "
                  "(loss_scale_group.groups)";
      if (begin > 0)
        cuts.push_back(begin);
      begin += size;
    }
    MLIRContext *context = program.getContext();
    program->setAttr(
        train::kLossScaleGroupsAttrName,
        train::LossScaleGroupsAttr::get(context, groups.getInitial(),
                                        DenseI64ArrayAttr::get(context, cuts)));
    return success();
  }

  train::ProgramOp program;
  llvm::StringSet<> owned; ///< parameters and states of the norms that go
  llvm::StringSet<> names; ///< of parameters, states and accumulators that go
};

struct RemoveBatchNorms
    : boost::impl::RemoveBatchNormsPassBase<RemoveBatchNorms> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    if (!program->removeAttr(train::kLessBatchNormsAttrName))
      return;
    if (failed(NormRemover(program).run()))
      signalPassFailure();
  }
};

} // namespace
