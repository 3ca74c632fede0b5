#include "test/passes/LineSearch.h"
#include "compiler/boost/EditProgram.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

namespace {

/// The loss at a trial point, summed over samples.
constexpr StringLiteral kTrialLoss = "search.trial_loss";
/// Step sizes: with which the last search ended, and which is tried.
constexpr StringLiteral kRate = "search.rate", kTrial = "search.trial";
/// The squared norm of the gradient, and the loss that is to decrease.
constexpr StringLiteral kSlope = "search.slope", kLoss = "search.loss";
/// How often the step size was halved: in this step, in all, in the step with
/// most; and steps in which it was not.
constexpr StringLiteral kTries = "search.tries", kTotal = "search.total",
                        kMost = "search.most", kFirst = "search.first";
/// What part of the decrease along the gradient is sufficient.
constexpr double kSufficient = 0.5;

std::string trialOf(StringRef parameter) {
  return (parameter + ".trial").str();
}

struct LineSearch : PassWrapper<LineSearch, OperationPass<train::ProgramOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LineSearch)

  LineSearch() = default;
  LineSearch(const LineSearch &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-line-search"; }
  StringRef getDescription() const final {
    return "Halve the step size until the loss decreases enough";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    program = getOperation();
    OpBuilder types(&getContext());
    number = RankedTensorType::get({}, types.getF32Type());
    count = RankedTensorType::get({}, types.getI64Type());
    flag = RankedTensorType::get({}, types.getI32Type());
    declare();
    micro = program.getFunction(train::kMicro);
    update = program.getFunction(train::kUpdate);
    func::FuncOp usual;
    if (every > 1) {
      usual = update;
      update = cast<func::FuncOp>(OpBuilder(update).clone(*update));
      update.setName("update_searched");
    }
    func::FuncOp trial = buildTrial();
    func::FuncOp direction = buildDirection();
    func::FuncOp judge = buildJudge();
    applyTrial();
    addVariants(trial, direction, judge, usual);
  }

  void declare() {
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    Location loc = program.getLoc();
    auto addState = [&](StringRef name, Type type, double first,
                        bool isSaved = false) {
      auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
      train::StateOp::create(
          builder, loc, builder.getStringAttr(name),
          builder.getStringAttr(name.substr(name.find('.') + 1)),
          FlatSymbolRefAttr(),
          rt::InitializerAttr::get(&getContext(), rt::InitializerKind::Constant,
                                   f64(first), f64(0.0)),
          TypeAttr::get(type),
          isSaved ? train::Saved::WithWeights : train::Saved::WithState);
    };
    addState(kRate, number, rate);
    for (StringRef name : {kTrial, kSlope, kLoss})
      addState(name, number, 0.0);
    addState(kTries, count, 0.0);
    for (StringRef name : {kTotal, kMost, kFirst})
      addState(name, count, 0.0, /*isSaved=*/true);
    train::AccumulatorOp::create(builder, loc,
                                 builder.getStringAttr(kTrialLoss),
                                 FlatSymbolRefAttr(), TypeAttr::get(number));
    for (auto parameter : program.getOps<train::ParameterOp>()) {
      parameters.push_back(parameter);
      builder.setInsertionPointAfter(parameter);
      train::StateOp::create(
          builder, parameter.getLoc(),
          builder.getStringAttr(trialOf(parameter.getSymName())),
          builder.getStringAttr("trial"), FlatSymbolRefAttr::get(parameter),
          rt::InitializerAttr(), TypeAttr::get(parameter.getType()));
    }
  }

  /// The loss of a micro-batch at the trial point: @micro, without gradients,
  /// of the states that hold it.
  func::FuncOp buildTrial() {
    auto trial = cast<func::FuncOp>(OpBuilder(micro).clone(*micro));
    trial.setName("micro_trial");
    for (unsigned i = 0; i < trial.getNumArguments(); ++i)
      if (auto binding = rt::getArgumentBinding(trial, i);
          binding.getKind() == BindingKind::Parameter)
        trial.setArgAttr(
            i, rt::kBindingAttrName,
            getBinding(BindingKind::State, trialOf(binding.getName())));
    llvm::BitVector dropped(trial.getNumResults());
    for (unsigned i = 0; i < trial.getNumResults(); ++i) {
      BindingKind kind = rt::getResultBinding(trial, i).getKind();
      if (kind == BindingKind::LossSum)
        trial.setResultAttr(i, rt::kBindingAttrName,
                            getBinding(BindingKind::Accumulator, kTrialLoss));
      else if (kind != BindingKind::LossCount)
        dropped.set(i);
    }
    trial.front().getTerminator()->eraseOperands(dropped);
    [[maybe_unused]] LogicalResult erased = trial.eraseResults(dropped);
    assert(succeeded(erased) && "a function returns any values");
    return trial;
  }

  /// Along which the search goes, and its first step size: twice the last one.
  func::FuncOp buildDirection() {
    func::FuncOp probe = createFunction(program, "direction");
    OpBuilder builder(probe.front().getTerminator());
    Location loc = probe.getLoc();
    SmallVector<Value> means = takeMeans(probe);
    Value samples = takeArgument(probe, count, BindingKind::LossCount);
    Value slope;
    for (Value mean : means) {
      Value square = train::SquaredNormOp::create(builder, loc, number, mean);
      slope =
          slope ? arith::AddFOp::create(builder, loc, slope, square) : square;
    }
    Value sum = takeArgument(probe, number, BindingKind::LossSum);
    Value loss = train::DivideGradientOp::create(builder, loc, sum, samples);
    Value last = takeArgument(probe, number, BindingKind::State, kRate);
    Value trial =
        arith::MulFOp::create(builder, loc, last, constant(builder, 2.0));
    leaveState(probe, kSlope, slope);
    leaveState(probe, kLoss, loss);
    leaveState(probe, kTrial, trial);
    leaveState(probe, kTries, constant(builder, count, 0));
    leaveTrialPoint(probe, means, trial);
    return probe;
  }

  /// Whether the loss at the trial point is low enough; else half the step
  /// size, and none after the last trial. A loss that is not finite is not low
  /// enough.
  func::FuncOp buildJudge() {
    func::FuncOp probe = createFunction(program, "judge");
    OpBuilder builder(probe.front().getTerminator());
    Location loc = probe.getLoc();
    SmallVector<Value> means = takeMeans(probe);
    Value samples = takeArgument(probe, count, BindingKind::LossCount);
    Value sum =
        takeArgument(probe, number, BindingKind::Accumulator, kTrialLoss);
    Value slope = takeArgument(probe, number, BindingKind::State, kSlope);
    Value loss = takeArgument(probe, number, BindingKind::State, kLoss);
    Value trial = takeArgument(probe, number, BindingKind::State, kTrial);
    Value tries = takeArgument(probe, count, BindingKind::State, kTries);

    Value found = train::DivideGradientOp::create(builder, loc, sum, samples);
    Value decrease = arith::MulFOp::create(
        builder, loc, arith::MulFOp::create(builder, loc, trial, slope),
        constant(builder, kSufficient));
    Value limit = arith::SubFOp::create(builder, loc, loss, decrease);
    Value isEnough = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLE, found, limit);
    Value mayTry =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, tries,
                              constant(builder, count, trials - 1));
    Value none = constant(builder, count, 0), one = constant(builder, count, 1);
    Value more = arith::SelectOp::create(
        builder, loc, isEnough, none,
        arith::SelectOp::create(builder, loc, mayTry, one, none));
    Value again = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        more, none);
    Value half =
        arith::MulFOp::create(builder, loc, trial, constant(builder, 0.5));
    Value next = arith::SelectOp::create(
        builder, loc, again, half,
        arith::SelectOp::create(builder, loc, isEnough, trial,
                                constant(builder, 0.0)));
    leaveState(probe, kTrial, next);
    leaveState(probe, kTries, arith::AddIOp::create(builder, loc, tries, more));
    leaveTrialPoint(probe, means, next);
    Value repeat = arith::TruncIOp::create(builder, loc, flag, more);
    if (endless)
      repeat = constant(builder, flag, 1);
    rt::addResult(probe, repeat, getBinding(BindingKind::Repeat));
    return probe;
  }

  /// Gives the rules the step size that was found, and counts.
  void applyTrial() {
    auto commit = *update.getOps<train::CommitOp>().begin();
    OpBuilder builder(update.front().getTerminator());
    Location loc = update.getLoc();
    Value trial = takeArgument(update, number, BindingKind::State, kTrial);
    for (auto rule : update.getOps<train::SgdOp>())
      rule.getLearningRateMutable().assign(trial);
    Value isApplied =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              commit.getApplied(), constant(builder, flag, 0));
    auto change = [&](StringRef name, Value before, Value after) {
      leaveState(
          update, name,
          arith::SelectOp::create(builder, loc, isApplied, after, before));
    };
    // After a search without success the next one begins lower.
    Value last = takeArgument(update, number, BindingKind::State, kRate);
    Value isFound = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, trial, constant(builder, 0.0));
    Value lower =
        arith::MulFOp::create(builder, loc, last, constant(builder, 0.25));
    change(kRate, last,
           arith::SelectOp::create(builder, loc, isFound, trial, lower));
    Value tries = takeArgument(update, count, BindingKind::State, kTries);
    Value total = takeArgument(update, count, BindingKind::State, kTotal);
    change(kTotal, total, arith::AddIOp::create(builder, loc, total, tries));
    Value most = takeArgument(update, count, BindingKind::State, kMost);
    change(kMost, most, arith::MaxSIOp::create(builder, loc, most, tries));
    Value first = takeArgument(update, count, BindingKind::State, kFirst);
    Value none = constant(builder, count, 0), one = constant(builder, count, 1);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, tries, none);
    change(kFirst, first,
           arith::AddIOp::create(
               builder, loc, first,
               arith::SelectOp::create(builder, loc, isFirst, one, none)));
  }

  void addVariants(func::FuncOp trial, func::FuncOp direction,
                   func::FuncOp judge, func::FuncOp usual) {
    OpBuilder builder(micro);
    auto symbol = [](func::FuncOp function) {
      return function ? FlatSymbolRefAttr::get(function) : FlatSymbolRefAttr();
    };
    auto phase = [&](func::FuncOp sums, func::FuncOp probe, bool repeats) {
      return train::PhaseAttr::get(&getContext(), symbol(sums),
                                   FlatSymbolRefAttr(), symbol(probe), repeats);
    };
    auto add = [&](StringRef name, func::FuncOp sums, func::FuncOp ending,
                   ArrayRef<Attribute> steps, ArrayRef<Attribute> phases) {
      train::VariantOp::create(
          builder, program.getLoc(), builder.getStringAttr(name), symbol(sums),
          FlatSymbolRefAttr(), symbol(ending), builder.getArrayAttr(steps),
          builder.getArrayAttr(phases));
    };
    SmallVector<Attribute> steps;
    if (usual)
      steps.push_back(train::StepsAttr::get(&getContext(), every, 0, every));
    // The gradient is that of the first phase, or computed again.
    add("search", again ? micro : func::FuncOp(), update, steps,
        {phase(micro, direction, false), phase(trial, judge, true)});
    if (usual)
      add("usual", micro, usual, {}, {});
  }

  //===--------------------------------------------------------------------===//
  // Values of a probe or an update.
  //===--------------------------------------------------------------------===//

  rt::BindingAttr getBinding(BindingKind kind, StringRef name = {}) {
    return rt::BindingAttr::get(&getContext(), kind, name);
  }

  Value constant(OpBuilder &builder, double value) {
    return arith::ConstantOp::create(
        builder, program.getLoc(),
        DenseElementsAttr::get(number, builder.getF32FloatAttr(value)));
  }
  Value constant(OpBuilder &builder, RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        builder, program.getLoc(),
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  }

  /// The mean gradients, by parameter.
  SmallVector<Value> takeMeans(func::FuncOp probe) {
    OpBuilder builder(probe.front().getTerminator());
    Value samples = takeArgument(probe, count, BindingKind::LossCount);
    SmallVector<Value> means;
    for (train::ParameterOp parameter : parameters)
      means.push_back(train::DivideGradientOp::create(
          builder, parameter.getLoc(),
          takeArgument(probe, parameter.getType(), BindingKind::Gradient,
                       parameter.getSymName()),
          samples));
    return means;
  }

  void leaveTrialPoint(func::FuncOp probe, ArrayRef<Value> means, Value rate) {
    OpBuilder builder(probe.front().getTerminator());
    Value always = constant(builder, flag, 1);
    for (auto [parameter, mean] : llvm::zip_equal(parameters, means)) {
      Value weight =
          takeArgument(probe, parameter.getType(), BindingKind::Parameter,
                       parameter.getSymName());
      leaveState(probe, trialOf(parameter.getSymName()),
                 train::SgdOp::create(builder, parameter.getLoc(),
                                      weight.getType(), weight, mean, rate,
                                      always, builder.getF64FloatAttr(0.0),
                                      UnitAttr()));
    }
  }

  Option<int64_t> every{*this, "every",
                        llvm::cl::desc("Search in every n-th step alone"),
                        llvm::cl::init(1)};
  Option<int64_t> trials{*this, "trials",
                         llvm::cl::desc("Step sizes to try at most"),
                         llvm::cl::init(12)};
  Option<double> rate{*this, "rate",
                      llvm::cl::desc("Half of the first step size"),
                      llvm::cl::init(1.0)};
  Option<bool> again{*this, "again",
                     llvm::cl::desc("Compute the gradient again to apply it"),
                     llvm::cl::init(false)};
  Option<bool> endless{*this, "endless",
                       llvm::cl::desc("Ask for more trials for ever"),
                       llvm::cl::init(false)};
  train::ProgramOp program;
  RankedTensorType number, count, flag;
  SmallVector<train::ParameterOp> parameters;
  func::FuncOp micro, update;
};

} // namespace

void boostc::registerLineSearch() { PassRegistration<LineSearch>(); }
