// CompleteStep.cpp - builds @combine from the results of @micro and @init from
// the declarations of a program.

#include "compiler/transforms/Passes.h"

namespace boostc::transforms {
#define GEN_PASS_DEF_COMPLETESTEPPASS
#include "compiler/transforms/Passes.h.inc"
} // namespace boostc::transforms

using namespace mlir;
using namespace boostc;

/// A value at a function's boundary and the memory it is.
using BoundType = std::pair<Type, rt::BindingAttr>;

/// An empty function at the end of `program`, arguments and results bound.
static func::FuncOp createFunction(train::ProgramOp program, Location loc,
                                   StringRef name,
                                   ArrayRef<BoundType> arguments,
                                   ArrayRef<BoundType> results) {
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  auto types = [](ArrayRef<BoundType> bound) {
    return llvm::map_to_vector(bound,
                               [](const BoundType &b) { return b.first; });
  };
  auto function = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType(types(arguments), types(results)));
  for (auto [index, argument] : llvm::enumerate(arguments))
    function.setArgAttr(index, rt::kBindingAttrName, argument.second);
  for (auto [index, result] : llvm::enumerate(results))
    function.setResultAttr(index, rt::kBindingAttrName, result.second);
  function.addEntryBlock();
  return function;
}

static FailureOr<func::FuncOp>
createCombine(train::ProgramOp program, func::FuncOp micro, StringRef name) {
  if (failed(rt::verifyBindings(micro)))
    return failure();
  SmallVector<BoundType> sums, operands;
  for (auto [index, type] : llvm::enumerate(micro.getResultTypes()))
    sums.emplace_back(type, rt::getResultBinding(micro, index));
  operands = sums;
  for (auto [type, binding] : sums)
    operands.emplace_back(
        type, rt::BindingAttr::get(program.getContext(), binding.getKind(),
                                   binding.getName(), /*other=*/true));
  func::FuncOp combine =
      createFunction(program, micro.getLoc(), name, operands, sums);
  OpBuilder builder = OpBuilder::atBlockEnd(&combine.getBody().front());
  SmallVector<Value> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(train::CombineOp::create(
        builder, micro.getLoc(), combine.getArgument(i),
        combine.getArgument(sums.size() + i)));
  func::ReturnOp::create(builder, micro.getLoc(), results);
  return combine;
}

using Combines = llvm::DenseMap<Operation *, func::FuncOp>; ///< by micro

/// What adds the sums of `micro`; built, with a name that has `suffix`, where
/// there is none.
static FailureOr<FlatSymbolRefAttr> findCombine(train::ProgramOp program,
                                                Combines &combines,
                                                func::FuncOp micro,
                                                StringRef suffix) {
  func::FuncOp &combine = combines[micro];
  if (!combine) {
    // A program's first has the usual name.
    std::string name = train::kCombine.str();
    if (program.getFunction(name))
      name = (train::kCombine + "_" + suffix).str();
    FailureOr<func::FuncOp> created = createCombine(program, micro, name);
    if (failed(created))
      return failure();
    combine = *created;
  }
  return FlatSymbolRefAttr::get(combine);
}

/// Gives each phase that lacks it what adds the sums of its micro-batches.
static LogicalResult completeVariants(train::ProgramOp program) {
  Combines combines;
  for (const train::StepVariant &variant : program.getVariants())
    for (const train::StepPhase &phase : variant.getPhases())
      if (phase.combine)
        combines[phase.micro] = phase.combine;
  for (const train::StepVariant &variant : program.getVariants()) {
    auto op = cast_or_null<train::VariantOp>(variant.op);
    SmallVector<Attribute> phases;
    for (auto [i, phase] : llvm::enumerate(variant.probes)) {
      auto known = cast<train::PhaseAttr>(op.getPhases()[i]);
      func::FuncOp micro = phase.micro;
      FailureOr<FlatSymbolRefAttr> combine =
          findCombine(program, combines, micro, micro.getName());
      if (failed(combine))
        return failure();
      phases.push_back(train::PhaseAttr::get(
          program.getContext(), known.getMicro(), *combine, known.getProbe(),
          known.getRepeats()));
    }
    if (op)
      op.setPhasesAttr(ArrayAttr::get(program.getContext(), phases));
    if (!variant.micro || variant.combine)
      continue;
    FailureOr<FlatSymbolRefAttr> combine =
        findCombine(program, combines, variant.micro, variant.name);
    if (failed(combine))
      return failure();
    if (op)
      op.setCombineAttr(*combine);
  }
  return success();
}

static void setMinSamples(train::ProgramOp program) {
  int64_t minimum = 1;
  for (func::FuncOp micro : program.getMicros())
    micro.walk([&](BatchReducingOpInterface op) {
      minimum = std::max(minimum, op.getMinSamples());
    });
  if (minimum > 1)
    program->setAttr(train::kMinSamplesAttrName,
                     Builder(program.getContext()).getI64IntegerAttr(minimum));
}

/// Whether a probe or an update reads whether a step before it failed.
static bool readsFailed(train::ProgramOp program) {
  auto failed =
      rt::BindingAttr::get(program.getContext(), rt::BindingKind::Failed);
  return llvm::any_of(program.getEndings(), [&](func::FuncOp ending) {
    return llvm::any_of(llvm::seq(ending.getNumArguments()), [&](unsigned i) {
      return rt::getArgumentBinding(ending, i) == failed;
    });
  });
}

namespace {
/// What a parameter or a state is drawn from; equal ones give equal values.
struct Initial {
  Location loc;
  StringRef name;
  rt::InitializerAttr initializer;
};
} // namespace

static Initial getInitial(train::ProgramOp program, train::StateOp state) {
  Location loc = state.getLoc();
  if (!state.getAveraged())
    return {loc, state.getSymName(), state.getInitializerOrZeros()};
  Operation *averaged = program.lookupSymbol(*state.getAveraged());
  if (auto parameter = dyn_cast<train::ParameterOp>(averaged))
    return {loc, parameter.getSymName(), parameter.getInitializer()};
  auto other = cast<train::StateOp>(averaged);
  return {loc, other.getSymName(), other.getInitializerOrZeros()};
}

static void createInit(train::ProgramOp program) {
  MLIRContext *context = program.getContext();
  SmallVector<Initial> initials;
  SmallVector<BoundType> results;
  for (auto parameter : program.getOps<train::ParameterOp>()) {
    results.emplace_back(parameter.getType(),
                         rt::BindingAttr::get(context,
                                              rt::BindingKind::Parameter,
                                              parameter.getSymName()));
    initials.push_back({parameter.getLoc(), parameter.getSymName(),
                        parameter.getInitializer()});
  }
  for (auto state : program.getOps<train::StateOp>()) {
    results.emplace_back(state.getType(),
                         rt::BindingAttr::get(context, rt::BindingKind::State,
                                              state.getSymName()));
    initials.push_back(getInitial(program, state));
  }

  auto flag = RankedTensorType::get({}, IntegerType::get(context, 32));
  bool hasFailed = readsFailed(program);
  if (hasFailed)
    results.emplace_back(
        flag, rt::BindingAttr::get(context, rt::BindingKind::Failed));

  BoundType seed(RankedTensorType::get({}, IntegerType::get(context, 64)),
                 rt::BindingAttr::get(context, rt::BindingKind::Seed));
  func::FuncOp init =
      createFunction(program, program.getLoc(), train::kInit, seed, results);
  OpBuilder builder = OpBuilder::atBlockEnd(&init.getBody().front());
  SmallVector<Value> values;
  for (auto [initial, result] : llvm::zip(initials, results)) {
    auto type = cast<RankedTensorType>(result.first);
    if (type.getElementType().isF32()) {
      values.push_back(train::InitializeOp::create(
          builder, initial.loc, type, initial.name, initial.initializer,
          init.getArgument(0)));
      continue;
    }
    // Integers start as a constant (state_c2).
    auto number = IntegerAttr::get(
        type.getElementType(),
        static_cast<int64_t>(initial.initializer.getA().getValueAsDouble()));
    values.push_back(arith::ConstantOp::create(
        builder, initial.loc, DenseElementsAttr::get(type, number)));
  }
  if (hasFailed)
    values.push_back(arith::ConstantOp::create(
        builder, program.getLoc(),
        DenseElementsAttr::get(flag, builder.getI32IntegerAttr(0))));
  func::ReturnOp::create(builder, program.getLoc(), values);
}

namespace {
struct CompleteStepPass
    : boostc::transforms::impl::CompleteStepPassBase<CompleteStepPass> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    if (!program.accumulatesInPlace() && failed(completeVariants(program)))
      return signalPassFailure();
    setMinSamples(program);
    if (!program.getFunction(train::kInit))
      createInit(program);
  }
};
} // namespace
