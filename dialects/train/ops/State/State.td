#ifndef BOOSTC_TRAIN_STATE
#define BOOSTC_TRAIN_STATE

include "dialects/train/TrainBase.td"

def Train_StateOp : Train_Op<"state", [
    Symbol, HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that is kept from step to step";
  let description = [{
    Starts as `initializer` says, zeros without one, changes in `@update` and in the probes of
    a `train.variant` only, and is checkpointed as `saved` says: with the optimizer's state
    (`with_state`, the default), or with the weights (`with_weights`), so that `--save` writes
    it and an evaluation finds it; probes leave it alone then.

    What belongs to a parameter (`of`) has its type and is called "<parameter>.<slot>".
    Ranks that keep parameters' states of their own (`train.adasum` with delta) share
    states without a parameter.

    A moving average (`average`) of a parameter, or of a state that is saved with the weights,
    has its type and starts as the same values. With `evaluated`, evaluations read it in the
    place of what it averages, and so files of weights have it under that name.

    Two kinds of states are in no file of a checkpoint: what each step writes before it reads it
    (`nowhere`), and a parameter's part of a basis (`in_basis`). Such a part has one dimension
    more, the first: a tensor for each vector of the basis. It comes with the run
    (`boost-run --basis`), and no function writes it.

    Constraints:
    * (state_c1) the parameter exists and has the state's type, but for dimension 0 of a part of
      a basis.
    * (state_c2) integers start as a constant that is an integer.
    * (state_c3) what a state averages is a parameter, or a state that is saved with the
      weights, and has its type; an average that is evaluated is saved with the weights.
    * (state_c4) a part of a basis belongs to a parameter.

    Example:
    ```mlir
    train.state @fc1.weight.momentum "momentum" of @fc1.weight : tensor<512x784xf32>
    train.state @optimizer.steps "steps" : tensor<i64>
    train.state @bn1.running_var "running_var" init <constant, 1.0, 0.0> saved with_weights
        : tensor<64xf32>
    train.state @fc1.weight.ema "ema" average @fc1.weight evaluated saved with_weights
        : tensor<512x784xf32>
    train.state @fc1.weight.basis "basis" of @fc1.weight saved in_basis : tensor<32x512x784xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$slot,
                       OptionalAttr<FlatSymbolRefAttr>:$parameter,
                       OptionalAttr<Rt_InitializerAttr>:$initializer,
                       OptionalAttr<FlatSymbolRefAttr>:$averaged,
                       UnitAttr:$evaluated,
                       DefaultValuedAttr<Train_Saved, "::boostc::train::Saved::WithState">:$saved,
                       TypeAttrOf<StaticShapeTensorOf<[F32, I32, I64]>>:$type);
  let assemblyFormat = [{
    $sym_name $slot (`of` $parameter^)? (`init` $initializer^)? (`average` $averaged^)?
    (`evaluated` $evaluated^)? (`saved` $saved^)? attr-dict `:` $type
  }];
  let hasVerifier = 1;
  let builders = [
    /// A state that averages nothing.
    OpBuilder<(ins "::mlir::StringAttr":$sym_name, "::mlir::StringAttr":$slot,
                   "::mlir::FlatSymbolRefAttr":$parameter,
                   "::boostc::rt::InitializerAttr":$initializer,
                   "::mlir::TypeAttr":$type,
                   CArg<"::boostc::train::Saved",
                        "::boostc::train::Saved::WithState">:$saved), [{
      build($_builder, $_state, sym_name, slot, parameter, initializer,
            /*averaged=*/::mlir::FlatSymbolRefAttr(), /*evaluated=*/::mlir::UnitAttr(),
            SavedAttr::get($_builder.getContext(), saved), type);
    }]>];
  let extraClassDeclaration = [{
    /// The initialiser, of zeros where none is given.
    ::boostc::rt::InitializerAttr getInitializerOrZeros();
    bool isSavedWithWeights() { return getSaved() == Saved::WithWeights; }
    bool isInBasis() { return getSaved() == Saved::InBasis; }
  }];
}

#endif // BOOSTC_TRAIN_STATE
