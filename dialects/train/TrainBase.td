#ifndef BOOSTC_TRAIN_BASE
#define BOOSTC_TRAIN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "dialects/train/TrainEnums.td"
include "mlir/IR/Properties.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/ErrorBoundOpInterface.td"
include "dialects/interfaces/LayerOpInterface.td"
include "dialects/interfaces/LibraryCallOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/interfaces/ScalarTypes.td"
include "dialects/interfaces/ScalarUpdateOpInterface.td"
include "dialects/rt/RtBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let summary = "What one training step does";
  let description = [{
    A `train.program` holds the parameters, the state, the inputs, the schedules and the
    functions of a step:

    | function | phase | arguments -> results |
    |---|---|---|
    | `@forward` | input | inputs, valid, parameters -> loss sum, loss count, metrics |
    | `@micro` | input | inputs, valid, parameters, state -> accumulators: gradient sums, loss sum, count, others |
    | `@update` | input | accumulators, controls, parameters, state, failed -> the same parameters and state, applied, failed |
    | `@eval` | input | inputs, valid, parameters, state saved with the weights -> loss and metric sums and counts |
    | `@combine` | step | two results of micro -> their sum; none with `rt.reproducible` off |
    | `@init` | step | seed -> parameters, state, failed = 0 |

    A program may have several of `@micro`, `@combine` and `@update`, and a `train.variant`
    for each kind of step that names its own. The variant also names the functions of phases
    before the update, each with a probe: accumulators, controls, parameters, state -> state,
    and whether to repeat the phase. A `train.selector` names one more function, which chooses
    the variant of a step.

    With `rt.reproducible` off and several micro-batches, `@micro` of phase `step` also takes
    the sums of those before and returns sums with its own.

    Arguments and results carry `rt.binding` attributes that say what memory they are.
    Weights and state change in `@update` only, after the commit point,
    `train.commit`.
  }];
  let cppNamespace = "::boostc::train";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect",
    "::boostc::rt::RtDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

def Train_ScheduleAttr : AttrDef<Train_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "a hyper-parameter as a function of the step";
  let description = [{
    A kind, a value, and those of the numbers `initial`, `end`, `factor`, `warmup`, `every`
    and `length` that are not 0; the last three count epochs or, with `steps`, optimizer
    steps. runtime/abi/boost_schedule.h has the formulas.

    Example: `<cosine, 0.1, end = 0.001, warmup = 500.0, steps>`.
  }];
  let parameters = (ins EnumParameter<Train_ScheduleKind>:$kind,
                        EnumParameter<Train_ScheduleUnit>:$unit,
                        "::mlir::DenseF64ArrayAttr":$numbers);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What each of `numbers` is.
    enum Number { Value, Initial, End, Factor, Warmup, Every, Length, NumberCount };
    double get(Number number) const { return getNumbers()[number]; }
    /// The schedule as the runtime sees it, without name and location.
    ::BoostSchedule getDescriptor() const;
  }];
  let builders = [AttrBuilder<(ins "ScheduleKind":$kind, "double":$value), [{
    double numbers[NumberCount] = {value};
    return $_get($_ctxt, kind, ScheduleUnit::Epochs,
                 ::mlir::DenseF64ArrayAttr::get($_ctxt, numbers));
  }]>];
}

def Train_AveragingAttr : AttrDef<Train_Dialect, "Averaging"> {
  let mnemonic = "averaging";
  let summary = "how gradients of micro-batches and ranks become that of a step";
  let description = [{
    Rank r has n_rk samples in micro-batch k, with gradient sum G_rk. The gradient of the
    step is

    | micro-batches | ranks | gradient |
    |---|---|---|
    | mean | mean | (sum over r, k of G_rk) / (sum over r, k of n_rk) |
    | sum | mean | (sum over r, k of G_rk / n_rk) / (number of ranks with samples) |
    | mean | sum | sum over r of (sum over k of G_rk) / (sum over k of n_rk) |
    | sum | sum | sum over r, k of G_rk / n_rk |

    A part without samples contributes nothing. Sits on `train.program` under the name
    `train.averaging`; a program without it takes the mean of both. The passes of
    compiler/boost build it.
  }];
  let parameters = (ins EnumParameter<Train_Reduction>:$microBatches,
                        EnumParameter<Train_Reduction>:$ranks);
  let assemblyFormat = "`<` `micro_batches` `=` $microBatches `,` `ranks` `=` $ranks `>`";
}

def Train_AmpAttr : AttrDef<Train_Dialect, "Amp"> {
  let mnemonic = "amp";
  let summary = "what is to be stored in bf16 or f16";
  let description = [{
    A level, the low type, and whether layers that normalise keep weight and bias in f32;
    see `boostc-apply-precision`. Sits on `train.program` under the name `train.amp`.

    Example: `#train.amp<O2, bf16, keep_batchnorm_fp32 = true>`.
  }];
  let parameters = (ins EnumParameter<Train_AmpLevel>:$level,
                        "::mlir::FloatType":$type, "bool":$keepBatchNorm);
  let assemblyFormat = "`<` $level `,` $type `,` `keep_batchnorm_fp32` `=` $keepBatchNorm `>`";
  let genVerifyDecl = 1;
}

def Train_EmaAttr : AttrDef<Train_Dialect, "Ema"> {
  let mnemonic = "ema";
  let summary = "whether weights are to be averaged over the steps";
  let description = [{
    The decay of exponential moving averages of all weights, and whether evaluations read
    these; see `boostc-average-weights`. Sits on `train.program` under the name `train.ema`.

    Example: `#train.ema<decay = 9.999000e-01 : f64, evaluate = true>`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$decay, "bool":$evaluate);
  let assemblyFormat = "`<` struct($decay, $evaluate) `>`";
}

def Train_FreezeAttr : AttrDef<Train_Dialect, "Freeze"> {
  let mnemonic = "freeze";
  let summary = "how the first layers are to be frozen in some steps";
  let description = [{
    The number of freeze groups, the schedule, the share of the steps in which nothing is
    frozen, and the steps after which the schedule begins again, where 0 means never; see
    `boostc-freeze-layers`. Sits on `train.program` under the name `train.freeze`.

    Example: `#train.freeze<groups = 10, schedule = interleaved, full_share = 7.000000e-01 : f64, length = 0>`.
  }];
  let parameters = (ins "int64_t":$groups, EnumParameter<Train_FreezeSchedule>:$schedule,
                        "::mlir::FloatAttr":$fullShare, "int64_t":$length);
  let assemblyFormat = [{
    `<` `groups` `=` $groups `,` `schedule` `=` $schedule `,` `full_share` `=` $fullShare `,`
    `length` `=` $length `>`
  }];
  let genVerifyDecl = 1;
}

def Train_SubspaceAttr : AttrDef<Train_Dialect, "Subspace"> {
  let mnemonic = "subspace";
  let summary = "how steps are to be searched for in a subspace";
  let description = [{
    The dimension of the subspace, the factor by which the line search shrinks a step, the
    part of the predicted decrease that is sufficient, for what the gradient has outside of
    the subspace the step size `alpha` and the momentum `gamma`, and into how many shards the
    rows of the basis are divided, one for each rank; see `boostc-search-subspace`. Sits on
    `train.program` under the name `train.subspace`.

    Constraints:
    * (subspace_c1) there are 1 to 4096 components; rho, sigma and gamma are from 0 to 1, and
      alpha is 0 or more.
    * (subspace_c2) shards are as large as each other.

    Example: `#train.subspace<components = 32, rho = 5.500000e-01 : f64, sigma = 4.000000e-01 : f64, alpha = 1.000000e-03 : f64, gamma = 0.9 : f64>`.
  }];
  let parameters = (ins "int64_t":$components, "::mlir::FloatAttr":$rho,
                        "::mlir::FloatAttr":$sigma, "::mlir::FloatAttr":$alpha,
                        "::mlir::FloatAttr":$gamma,
                        DefaultValuedParameter<"int64_t", "1">:$shards);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Train_LossScaleGroupsAttr : AttrDef<Train_Dialect, "LossScaleGroups"> {
  let mnemonic = "loss_scale_groups";
  let summary = "which parameters share a loss scale";
  let description = [{
    The first scale of each group, and the numbers of the parameters where the groups after
    the first begin; see `boostc-scale-groups`. Sits on `train.program` under the name
    `train.loss_scale_groups`.

    Constraints:
    * (loss_scale_groups_c1) there are 1 to 32 groups, and a cut between any two.
    * (loss_scale_groups_c2) a scale is from 1 to 2^24.
    * (loss_scale_groups_c3) cuts rise from 1 on.

    Example: `#train.loss_scale_groups<initial = [4096.0, 1024.0], cuts = [2]>`.
  }];
  // Attributes of f64, which MLIR prints exactly; of a DenseF64ArrayAttr it prints 7 digits.
  let parameters = (ins "::mlir::ArrayAttr":$initial, "::mlir::DenseI64ArrayAttr":$cuts);
  let assemblyFormat = "`<` `initial` `=` $initial `,` `cuts` `=` $cuts `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getGroupCount() const { return getInitial().size(); }
    double getInitialScale(int64_t group) const {
      return ::llvm::cast<::mlir::FloatAttr>(getInitial()[group]).getValueAsDouble();
    }
    /// The group, from 0, of the parameter that is declared as number `index`.
    int64_t getGroup(int64_t index) const;
  }];
}

def Train_AdasumAttr : AttrDef<Train_Dialect, "Adasum"> {
  let mnemonic = "adasum";
  let summary = "how ranks are to be combined by Adasum";
  let description = [{
    Which values, which of them are one vector, and which ranks; `cuts` are the numbers of
    the parameters where a group of `per_group` begins. Sits on `train.program` under the
    name `train.adasum`.

    Example: `#train.adasum<delta, per_group, auto, cuts = [2]>`.
  }];
  let parameters = (ins EnumParameter<Train_AdasumMode>:$mode,
                        EnumParameter<Train_Granularity>:$granularity,
                        EnumParameter<Rt_AdasumScope>:$scope,
                        "::mlir::DenseI64ArrayAttr":$cuts);
  let assemblyFormat = "`<` $mode `,` $granularity `,` $scope `,` `cuts` `=` $cuts `>`";
}

def Train_StepsAttr : AttrDef<Train_Dialect, "Steps"> {
  let mnemonic = "steps";
  let summary = "some of a run's steps";
  let description = [{
    Steps `first`, `first + every`, ... up to `last`; without end where `last` is 0. Steps are
    those of the whole run, counted from 1.

    Example: `<first = 100, every = 50>`.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$first,
                        DefaultValuedParameter<"int64_t", "0">:$last,
                        DefaultValuedParameter<"int64_t", "1">:$every);
  let assemblyFormat = "`<` struct($first, $last, $every) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The record of the descriptor.
    ::BoostStepRange getDescriptor() const;
  }];
}

def Train_PhaseAttr : AttrDef<Train_Dialect, "Phase"> {
  let mnemonic = "phase";
  let summary = "a part of a step before its update";
  let description = [{
    For each micro-batch of the window `micro`, whose results `combine` adds; then `probe`. With
    `repeats` all of it is done again while the result of `probe` that is bound to
    `#rt.binding<repeat>` is not 0. See `train.variant`.

    Example: `<micro = @micro_trial, probe = @judge, repeats = true>`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$micro,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$combine,
                        "::mlir::FlatSymbolRefAttr":$probe,
                        DefaultValuedParameter<"bool", "false">:$repeats);
  let assemblyFormat = "`<` struct($micro, $combine, $probe, $repeats) `>`";
}

def Train_Phases : TypedArrayAttrBase<Train_PhaseAttr, "phases of a step"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def Train_StepRanges : TypedArrayAttrBase<Train_StepsAttr, "ranges of steps"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def Train_Sum : Boost_Scalar<F32, "getF32Type">;
def Train_Count : Boost_Scalar<I64, "getI64Type">;
def Train_Weight : Boost_Scalar<F32, "getF32Type">;  // a sum of sample weights
def Train_Seed : Boost_Scalar<I64, "getI64Type">;
def Train_Flag : Boost_Scalar<I32, "getI32Type">;
def Train_Tensor : StaticShapeTensorOf<[F32]>;

class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, traits>;

/// A pure op that the interpreter runs, that lowers to linalg and knows the error of its
/// result.
class Train_Computation<string mnemonic, list<Trait> traits = []>
    : Train_Op<mnemonic, [
        Pure, DeclareOpInterfaceMethods<ErrorBoundOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
        DeclareOpInterfaceMethods<ReferenceOpInterface>] # traits>;

/// A first-order rule. Its operands end with `applied`; it has a unit attribute `delta`.
class Train_Rule<string mnemonic, list<Trait> traits = []>
    : Train_Computation<mnemonic, traits # [
        DeclareOpInterfaceMethods<ScalarUpdateOpInterface>]> {
  let extraClassDefinition = [{
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::lowerToLinalg(::mlir::OpBuilder &builder) {
      return ::boostc::train::lowerRule(builder, *this);
    }
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &, ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      ::boostc::train::evaluateCommitted(*this, operands, results);
      return ::mlir::success();
    }
  }];
}

/// An elementwise change of a gradient; see GradientTransformOpInterface.
class Train_GradientTransform<string mnemonic, list<Trait> traits = []>
    : Train_Computation<mnemonic, traits # [
        DeclareOpInterfaceMethods<GradientTransformOpInterface>]> {
  let extraClassDefinition = [{
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::lowerToLinalg(::mlir::OpBuilder &builder) {
      return ::llvm::SmallVector<::mlir::Value>{
          ::boostc::train::lowerGradientTransform(builder, *this)};
    }
  }];
}

#endif // BOOSTC_TRAIN_BASE
