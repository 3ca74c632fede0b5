// loss_scale_group: a loss scale for each group of layers; see Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace boostc::boost {
#define GEN_PASS_DEF_SCALEGROUPSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using llvm::formatv;

namespace {

/// Marks in a forward function where gradients change their scale.
class EdgeMarker {
public:
  /// `getScale` gives the argument that holds a group's scale.
  EdgeMarker(const llvm::StringMap<int64_t> &groups,
             llvm::function_ref<Value(int64_t)> getScale)
      : groups(groups), getScale(getScale) {}

  void run(func::FuncOp forward, int64_t lossGroup) {
    for (BlockArgument argument : forward.getArguments()) {
      rt::BindingAttr binding = rt::getArgumentBinding(argument);
      if (binding && binding.getKind() == rt::BindingKind::Parameter)
        groupOf[argument] = groups.lookup(binding.getName());
    }
    Block &block = forward.front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      visit(op);
    // The loss is the first result.
    mark(block.getTerminator()->getOpOperand(0), lossGroup);
  }

  size_t countMarks() const { return marks.size(); }

private:
  /// The results of `op` are of the last group that it reads something of.
  void visit(Operation &op) {
    int64_t last = kNone;
    for (Value operand : op.getOperands())
      last = std::max(last, getGroup(operand));
    if (last == kNone)
      return;
    // Without this interface no gradient flows through it.
    if (auto differentiable = dyn_cast<DifferentiableOpInterface>(op))
      for (OpOperand &operand : op.getOpOperands())
        if (differentiable.isActiveOperand(operand.getOperandNumber()))
          mark(operand, last);
    for (Value result : op.getResults())
      groupOf[result] = last;
  }

  /// The gradient of `operand` comes from an op of group `from`.
  void mark(OpOperand &operand, int64_t from) {
    Value value = operand.get();
    int64_t to = getGroup(value);
    if (to == kNone || to == from)
      return;
    Value &marked = marks[{value, from}];
    if (!marked) {
      OpBuilder builder(operand.getOwner());
      // In this order: the first to ask adds the argument.
      Value own = getScale(to), other = getScale(from);
      marked =
          nn::ScaleGradientOp::create(builder, operand.getOwner()->getLoc(),
                                      value.getType(), value, own, other);
    }
    operand.set(marked);
  }

  int64_t getGroup(Value value) const {
    auto known = groupOf.find(value);
    return known == groupOf.end() ? kNone : known->second;
  }

  static constexpr int64_t kNone = -1; ///< depends on no parameter

  const llvm::StringMap<int64_t> &groups; ///< by parameter
  llvm::function_ref<Value(int64_t)> getScale;
  llvm::DenseMap<Value, int64_t> groupOf;
  llvm::MapVector<std::pair<Value, int64_t>, Value> marks;
};

class GroupScaler {
public:
  GroupScaler(train::ProgramOp program, train::LossScaleGroupsAttr settings)
      : program(program), settings(settings), b(program.getContext()) {}

  LogicalResult run() {
    int64_t index = 0;
    for (auto parameter : program.getOps<train::ParameterOp>())
      groups[parameter.getSymName()] = settings.getGroup(index++);
    if (index <= (settings.getCuts().empty() ? 0 : last(settings.getCuts())))
      return program.emitOpError("expected a parameter in each of ")
             << settings.getGroupCount() << " loss scale groups, found "
             << index << " parameters";
    if (failed(findFunctions()) || failed(verifyUpdate()))
      return failure();
    declareStates();
    scaleForward();
    scaleUpdate();
    return success();
  }

private:
  static int64_t last(DenseI64ArrayAttr numbers) {
    return numbers.asArrayRef().back();
  }

  LogicalResult findFunctions() {
    SmallVector<train::ValueAndGradOp> requests;
    program.walk([&](train::ValueAndGradOp op) { requests.push_back(op); });
    SmallVector<func::FuncOp> updates = program.getUpdates();
    if (requests.size() != 1 || updates.size() != 1)
      return program.emitOpError("expected one train.value_and_grad and one "
                                 "@update for loss_scale_group, found ")
             << requests.size() << " and " << updates.size();
    request = requests.front();
    update = updates.front();
    if (request.getScale())
      return request.emitOpError(
          "has a loss scale; loss_scale_group expects none");
    return success();
  }

  /// Only means of gradients are divided by their scales.
  LogicalResult verifyUpdate() {
    FailureOr<train::CommitOp> found = getCommit(update);
    if (failed(found))
      return failure();
    commit = *found;
    if (commit.getOnNonfinite() != train::FailurePolicy::Skip)
      return commit.emitOpError("expected on_nonfinite skip: a step in which a "
                                "group overflows is skipped");
    for (BlockArgument argument : update.getArguments())
      if (isBoundTo(argument, rt::BindingKind::Gradient))
        for (Operation *user : argument.getUsers())
          if (!isa<train::CommitOp, train::DivideGradientOp>(user))
            return user->emitOpError("reads a gradient that loss_scale_group "
                                     "scales; expected train.divide_gradient "
                                     "to read it");
    return success();
  }

  void declareStates() {
    b.setInsertionPoint(*program.getOps<func::FuncOp>().begin());
    auto declare = [&](StringRef name, Type type, rt::InitializerAttr first) {
      train::StateOp::create(b, request.getLoc(), b.getStringAttr(name),
                             b.getStringAttr(name), FlatSymbolRefAttr(), first,
                             TypeAttr::get(RankedTensorType::get({}, type)));
    };
    for (int64_t group = 0; group < settings.getGroupCount(); ++group) {
      declare(getScaleName(group), b.getF32Type(),
              rt::InitializerAttr::get(b.getContext(),
                                       rt::InitializerKind::Constant,
                                       settings.getInitialScale(group), 0.0));
      declare(getOverflowsName(group), b.getI64Type(), {});
    }
  }

  /// People count groups from 1.
  static std::string getScaleName(int64_t group) {
    return formatv("{0}.{1}", train::kLossScale, group + 1);
  }
  static std::string getOverflowsName(int64_t group) {
    return formatv("{0}.{1}.overflows", train::kLossScale, group + 1);
  }

  Value getState(func::FuncOp function, const std::string &name, Type type) {
    return takeArgument(function, RankedTensorType::get({}, type),
                        rt::BindingKind::State, name);
  }
  Value getScale(func::FuncOp function, int64_t group) {
    return getState(function, getScaleName(group), b.getF32Type());
  }

  /// Differentiates a copy of the forward with marks. Evaluation keeps the
  /// forward, which reads no scale.
  void scaleForward() {
    auto forward = program.getFunction(request.getCallee());
    func::FuncOp scaled = forward.clone();
    scaled.setName((forward.getSymName() + "_scaled").str());
    // An input may have this name.
    StringAttr name =
        SymbolTable(program).insert(scaled, Block::iterator(forward));
    auto micro = request->getParentOfType<func::FuncOp>();
    SmallVector<Value> inputs(request.getInputs());
    auto getScaleOfForward = [&](int64_t group) {
      unsigned before = scaled.getNumArguments();
      Value scale = getScale(scaled, group);
      if (scaled.getNumArguments() != before)
        inputs.push_back(getScale(micro, group));
      return scale;
    };
    int64_t lossGroup = settings.getGroupCount() - 1;
    EdgeMarker marker(groups, getScaleOfForward);
    marker.run(scaled, lossGroup);
    request.setCallee(name);
    request.getInputsMutable().assign(inputs);
    request.getScaleMutable().assign(getScale(micro, lossGroup));
    if (SymbolTable::symbolKnownUseEmpty(forward, program))
      forward.erase();
    emitRemark(program.getLoc())
        << "loss_scale_group has " << settings.getGroupCount()
        << " loss scales; edges between their groups: " << marker.countMarks();
  }

  void scaleUpdate() {
    SmallVector<SmallVector<Value>> gradients(settings.getGroupCount());
    for (BlockArgument argument : update.getArguments())
      if (isBoundTo(argument, rt::BindingKind::Gradient))
        gradients[groups.lookup(rt::getArgumentBinding(argument).getName())]
            .push_back(argument);
    for (auto [group, members] : llvm::enumerate(gradients))
      for (Value gradient : members)
        unscale(gradient, getScale(update, group));
    adjustScales(gradients);
  }

  void unscale(Value gradient, Value scale) {
    for (Operation *user : llvm::to_vector(gradient.getUsers())) {
      auto mean = dyn_cast<train::DivideGradientOp>(user);
      if (!mean)
        continue;
      b.setInsertionPointAfter(mean);
      auto own = train::UnscaleGradientOp::create(b, mean.getLoc(),
                                                  mean.getResult(), scale);
      mean.getResult().replaceAllUsesExcept(own, own);
    }
  }

  /// The scales of the next step, after all that reads those of this one.
  void adjustScales(ArrayRef<SmallVector<Value>> gradients) {
    Location loc = commit.getLoc();
    auto count = RankedTensorType::get({}, b.getI64Type());
    b.setInsertionPoint(update.front().getTerminator());
    SmallVector<Value> scales, overflows;
    for (size_t group = 0; group < gradients.size(); ++group)
      scales.push_back(getScale(update, group));
    Value used = train::StackOp::create(b, loc, scales);
    for (auto [group, members] : llvm::enumerate(gradients)) {
      Value nonfinite = train::NotFiniteOp::create(b, loc, count, members);
      Value before = getState(update, getOverflowsName(group), b.getI64Type());
      auto next = train::AdjustGroupScaleOp::create(
          b, loc, scales[group].getType(), count, scales[group], before,
          commit.getWeight() ? commit.getWeight() : commit.getCount(),
          nonfinite);
      leaveState(update, getScaleName(group), next.getNewScale());
      leaveState(update, getOverflowsName(group), next.getNewOverflows());
      overflows.push_back(next.getNewOverflows());
    }
    rt::addResult(
        update, used,
        rt::BindingAttr::get(b.getContext(), rt::BindingKind::LossScale, ""));
    rt::addResult(
        update, train::StackOp::create(b, loc, overflows),
        rt::BindingAttr::get(b.getContext(), rt::BindingKind::Overflows, ""));
  }

  train::ProgramOp program;
  train::LossScaleGroupsAttr settings;
  OpBuilder b;
  llvm::StringMap<int64_t> groups; ///< by parameter
  train::ValueAndGradOp request;
  func::FuncOp update;
  train::CommitOp commit;
};

struct ScaleGroups : boost::impl::ScaleGroupsPassBase<ScaleGroups> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto settings = program->getAttrOfType<train::LossScaleGroupsAttr>(
        train::kLossScaleGroupsAttrName);
    if (!settings)
      return;
    program->removeAttr(train::kLossScaleGroupsAttrName);
    if (failed(GroupScaler(program, settings).run()))
      signalPassFailure();
  }
};

} // namespace
