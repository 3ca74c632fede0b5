// dim_reduce: steps that are searched for in a subspace; see Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/dim_reduce/SubspaceStates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace boostc::boost {
#define GEN_PASS_DEF_SEARCHSUBSPACEPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

/// The step is tried whole, and shrunk once: rho^0 and rho^1.
static constexpr int64_t kTrials = 2;

namespace {

class SubspaceSearcher {
public:
  SubspaceSearcher(train::ProgramOp program, train::SubspaceAttr subspace)
      : program(program), subspace(subspace), context(program.getContext()),
        loc(program.getLoc()), types(context, subspace),
        divisor(getDivisor(program)) {
    for (auto parameter : program.getOps<train::ParameterOp>())
      parameters.emplace_back(parameter);
  }

  LogicalResult run() {
    FailureOr<PlainStep> step = getPlainStep(program, "dim_reduce");
    if (failed(step))
      return failure();
    micro = step->micro;
    update = step->update;
    FailureOr<train::CommitOp> found = getCommit(update);
    if (failed(found))
      return failure();
    commit = *found;
    if (failed(findRules()))
      return failure();
    remark();
    func::FuncOp trial = buildTrial();
    func::FuncOp direction = buildDirection();
    replaceRules();
    keepStep();
    // What an optimizer kept for a parameter may have had the same name.
    declareSubspaceStates(program, types);
    addVariant(trial, direction, buildJudge());
    return success();
  }

private:
  /// The rule of each parameter.
  LogicalResult findRules() {
    for (auto rule : update.getOps<ScalarUpdateOpInterface>())
      if (StringRef name = getParameter(rule); !name.empty())
        rules[name] = rule;
    for (const SubspaceSlots &parameter : parameters)
      if (!rules.contains(parameter.getName()))
        return update.emitOpError("has no rule for parameter '")
               << parameter.getName() << "', which dim_reduce replaces";
    return success();
  }

  void remark() {
    int64_t columns = 0;
    for (const SubspaceSlots &parameter : parameters)
      columns += parameter.getType().getNumElements();
    InFlightDiagnostic remark = emitRemark(loc);
    remark << "dim_reduce searches for each step between "
           << subspace.getComponents() << " vectors of " << columns
           << " numbers, with up to " << kTrials << " more forwards; the "
           << "optimizer's rule and learning rate are not used";
    if (int64_t shards = subspace.getShards(); shards > 1)
      remark << "; each of " << shards << " ranks keeps " << types.rows
             << " of the vectors";
  }

  /// The loss of a micro-batch at the trial point: @micro, without gradients
  /// and statistics, of the states that hold the point.
  func::FuncOp buildTrial() {
    func::FuncOp trial = copyFunction(program, micro, "micro_trial");
    eraseResults(trial, [](rt::BindingAttr binding) {
      return !llvm::is_contained({BindingKind::LossSum, BindingKind::LossCount,
                                  BindingKind::LossWeight},
                                 binding.getKind());
    });
    llvm::BitVector unused(trial.getNumArguments());
    for (unsigned i = 0; i < trial.getNumArguments(); ++i) {
      rt::BindingAttr binding = rt::getArgumentBinding(trial, i);
      for (const SubspaceSlots &parameter : parameters)
        if (binding == bind(BindingKind::Parameter, parameter.getName()))
          trial.setArgAttr(i, rt::kBindingAttrName,
                           bind(BindingKind::State, parameter.trial));
      unused[i] = binding.getKind() == BindingKind::State &&
                  trial.getArgument(i).use_empty();
    }
    LogicalResult erased = trial.eraseArguments(unused);
    assert(succeeded(erased) && "nothing uses them");
    (void)erased;
    for (unsigned i = 0; i < trial.getNumResults(); ++i)
      if (rt::getResultBinding(trial, i).getKind() == BindingKind::LossSum)
        trial.setResultAttr(i, rt::kBindingAttrName,
                            bind(BindingKind::Accumulator, kTrialLoss));
    return trial;
  }

  /// Ends the phase of the gradient: the descent inside of the subspace, what
  /// the gradient has outside of it, and the first point to try.
  func::FuncOp buildDirection() {
    func::FuncOp probe = createFunction(program, "direction");
    OpBuilder b(probe.front().getTerminator());
    // Mean, unscaled and clipped, as the rules read them.
    SmallVector<Value> gradients;
    for (const SubspaceSlots &parameter : parameters)
      gradients.push_back(getGradient(parameter));
    gradients = cloneValues(update, gradients, probe);
    Value projected;
    for (auto [parameter, gradient] : llvm::zip_equal(parameters, gradients)) {
      Value part = train::ProjectOp::create(b, parameter.getLoc(), gradient,
                                            takeBasis(probe, parameter),
                                            subspace.getShards());
      projected =
          projected ? arith::AddFOp::create(b, loc, projected, part) : part;
    }
    Value correction = takeState(probe, types.square, kCorrection);
    Value last = takeState(probe, types.coordinates, kStepTaken);
    Value before = takeState(probe, types.coordinates, kGradient);
    Value change = arith::SubFOp::create(b, loc, projected, before);
    Value next = train::BfgsUpdateOp::create(b, loc, types.square, correction,
                                             last, change);
    Value turned = train::LiftOp::create(b, loc, TypeRange{types.coordinates},
                                         ValueRange{projected}, next)
                       .getResult(0);
    Value descent = arith::AddFOp::create(b, loc, projected, turned);
    Value slope =
        train::DotOp::create(b, loc, types.number, projected, descent);
    Value rate = constant(b, 1.0);
    leaveState(probe, kNextCorrection, next);
    leaveState(probe, kNextGradient, projected);
    leaveState(probe, kDescent, descent);
    leaveState(probe, kSlope, slope);
    leaveState(probe, kLoss, buildLoss(probe, b, BindingKind::LossSum, {}));
    leaveState(probe, kRate, rate);
    leaveState(probe, kTries, constant(b, int64_t{0}));
    for (auto [parameter, gradient] : llvm::zip_equal(parameters, gradients)) {
      RankedTensorType type = parameter.getType();
      auto lifted = train::LiftOp::create(
          b, parameter.getLoc(), TypeRange{type, type},
          ValueRange{descent, projected}, takeBasis(probe, parameter));
      leaveState(probe, parameter.descent, lifted.getResult(0));
      leaveState(probe, parameter.residual,
                 arith::SubFOp::create(b, parameter.getLoc(), gradient,
                                       lifted.getResult(1)));
      leaveTrialPoint(probe, b, parameter, lifted.getResult(0), rate);
    }
    return probe;
  }

  Value getGradient(const SubspaceSlots &parameter) {
    return rules.at(parameter.getName())->getOperand(1);
  }

  /// Whether the loss at the trial point is low enough; else a shorter step,
  /// and none after the last trial. A loss that is not finite is not low
  /// enough.
  func::FuncOp buildJudge() {
    func::FuncOp probe = createFunction(program, "judge");
    OpBuilder b(probe.front().getTerminator());
    Value found = buildLoss(probe, b, BindingKind::Accumulator, kTrialLoss);
    Value slope = takeState(probe, types.number, kSlope);
    Value loss = takeState(probe, types.number, kLoss);
    Value rate = takeState(probe, types.number, kRate);
    Value tries = takeState(probe, types.flag, kTries);
    auto multiply = [&](Value x, Value y) -> Value {
      return arith::MulFOp::create(b, loc, x, y);
    };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return arith::SelectOp::create(b, loc, condition, x, y);
    };
    Value sigma = constant(b, subspace.getSigma().getValueAsDouble());
    Value decrease = multiply(sigma, multiply(rate, slope));
    Value limit = arith::SubFOp::create(b, loc, loss, decrease);
    Value isEnough =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, found, limit);
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         tries, constant(b, kTrials - 1));
    Value none = constant(b, int64_t{0}), one = constant(b, int64_t{1});
    Value repeat = select(isEnough, none, select(isLast, none, one));
    Value shorter =
        multiply(rate, constant(b, subspace.getRho().getValueAsDouble()));
    Value next =
        select(isEnough, rate, select(isLast, constant(b, 0.0), shorter));
    leaveState(probe, kRate, next);
    leaveState(probe, kTries, arith::AddIOp::create(b, loc, tries, repeat));
    for (const SubspaceSlots &parameter : parameters)
      leaveTrialPoint(probe, b, parameter,
                      takeState(probe, parameter.getType(), parameter.descent),
                      next);
    rt::addResult(probe, repeat, bind(BindingKind::Repeat));
    return probe;
  }

  /// Steps along what the search found, for the optimizer's rules.
  void replaceRules() {
    Value rate = takeState(update, types.number, kRate);
    SmallVector<ScalarUpdateOpInterface> replaced;
    SmallVector<Value> velocities;
    for (const SubspaceSlots &parameter : parameters) {
      ScalarUpdateOpInterface rule = rules.at(parameter.getName());
      RankedTensorType type = parameter.getType();
      OpBuilder b(rule);
      auto step = train::SubspaceStepOp::create(
          b, parameter.getLoc(), TypeRange{type, type}, rule->getOperand(0),
          takeState(update, type, parameter.residual), rate,
          takeState(update, type, parameter.descent),
          takeState(update, type, parameter.velocity), commit.getApplied(),
          subspace.getAlpha(), subspace.getGamma());
      rule->getResult(0).replaceAllUsesWith(step.getResult());
      velocities.push_back(step.getNewVelocity());
      replaced.push_back(rule);
    }
    eraseRules(program, update, replaced);
    for (auto [parameter, velocity] : llvm::zip_equal(parameters, velocities))
      leaveState(update, parameter.velocity, velocity);
  }

  /// What a step that is taken leaves for the next one.
  void keepStep() {
    OpBuilder b(update.front().getTerminator());
    Value rate = takeState(update, types.number, kRate);
    Value isApplied =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                              commit.getApplied(), constant(b, int64_t{0}));
    Value isFound = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                          rate, constant(b, 0.0));
    Value isTaken = arith::SelectOp::create(
        b, loc, arith::AndIOp::create(b, loc, isApplied, isFound),
        constant(b, int64_t{1}), constant(b, int64_t{0}));
    auto replace = [&](StringRef name, StringRef by, Value factor, Type type) {
      leaveState(update, name,
                 train::ReplaceOp::create(
                     b, loc, type, takeState(update, type, name),
                     takeState(update, type, by), factor, isTaken));
    };
    Value one = constant(b, 1.0);
    replace(kCorrection, kNextCorrection, one, types.square);
    replace(kGradient, kNextGradient, one, types.coordinates);
    replace(kStepTaken, kDescent, arith::NegFOp::create(b, loc, rate),
            types.coordinates);
    // Elements of a gradient may be finite and their sums not.
    commit.getValuesMutable().append(
        takeState(update, types.coordinates, kNextGradient));
  }

  void addVariant(func::FuncOp trial, func::FuncOp direction,
                  func::FuncOp judge) {
    OpBuilder b(micro);
    auto phase = [&](func::FuncOp sums, func::FuncOp probe, bool repeats) {
      return train::PhaseAttr::get(context, FlatSymbolRefAttr::get(sums),
                                   FlatSymbolRefAttr(),
                                   FlatSymbolRefAttr::get(probe), repeats);
    };
    // The update reads what the first phase sums: no micro of its own.
    train::VariantOp::create(
        b, loc, b.getStringAttr("searched"), FlatSymbolRefAttr(),
        FlatSymbolRefAttr(), FlatSymbolRefAttr::get(update), b.getArrayAttr({}),
        b.getArrayAttr({phase(micro, direction, /*repeats=*/false),
                        phase(trial, judge, /*repeats=*/true)}));
  }

  rt::BindingAttr bind(BindingKind kind, StringRef name = {}) {
    return rt::BindingAttr::get(context, kind, name);
  }
  static Value takeState(func::FuncOp function, Type type, StringRef name) {
    return takeArgument(function, type, BindingKind::State, name);
  }
  Value takeBasis(func::FuncOp function, const SubspaceSlots &parameter) {
    return takeState(function, types.getBasis(parameter.getType()),
                     parameter.basis);
  }

  /// The mean of a loss that is summed.
  Value buildLoss(func::FuncOp probe, OpBuilder &b, BindingKind kind,
                  StringRef name) {
    Type type = divisor == BindingKind::LossCount
                    ? RankedTensorType::get({}, b.getI64Type())
                    : types.number;
    return train::DivideGradientOp::create(
        b, loc, takeArgument(probe, types.number, kind, name),
        takeArgument(probe, type, divisor));
  }

  void leaveTrialPoint(func::FuncOp probe, OpBuilder &b,
                       const SubspaceSlots &parameter, Value descent,
                       Value rate) {
    Value weight = takeArgument(probe, parameter.getType(),
                                BindingKind::Parameter, parameter.getName());
    leaveState(probe, parameter.trial,
               train::SgdOp::create(b, parameter.getLoc(), parameter.getType(),
                                    weight, descent, rate,
                                    constant(b, int64_t{1}),
                                    b.getF64FloatAttr(0.0), UnitAttr()));
  }

  Value constant(OpBuilder &b, double value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(types.number,
                               b.getF32FloatAttr(static_cast<float>(value))));
  }
  Value constant(OpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            types.flag, b.getI32IntegerAttr(static_cast<int32_t>(value))));
  }

  train::ProgramOp program;
  train::SubspaceAttr subspace;
  MLIRContext *context;
  Location loc;
  SubspaceTypes types;
  BindingKind divisor;
  SmallVector<SubspaceSlots> parameters;
  llvm::StringMap<ScalarUpdateOpInterface> rules; ///< by parameter
  func::FuncOp micro, update;
  train::CommitOp commit;
};

struct SearchSubspace : boost::impl::SearchSubspacePassBase<SearchSubspace> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto subspace =
        program->getAttrOfType<train::SubspaceAttr>(train::kSubspaceAttrName);
    if (!subspace)
      return;
    program->removeAttr(train::kSubspaceAttrName);
    if (failed(SubspaceSearcher(program, subspace).run()))
      signalPassFailure();
  }
};

} // namespace
