#ifndef BOOSTC_TRAIN_VARIANT
#define BOOSTC_TRAIN_VARIANT

include "dialects/train/TrainBase.td"

def Train_VariantOp : Train_Op<"variant", [
    Symbol, HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one kind of step";
  let description = [{
    The functions of a step and the steps that it is: for each micro-batch `micro`, whose
    results `combine` adds; then `update`. The collectives of the step are those of its
    `update`. `on` lists the steps, from 1, in ranges `#train.steps<first, last, every>`; a
    step is of the first variant that lists it. The last variant of a program lists none: it
    is of every step that is left, unless a `train.selector` chooses another one.

    All variants share parameters, states and accumulators. `micro` of a variant returns the
    accumulators that its `update` reads, which may be fewer than the program declares. Passes
    change all variants alike; one that is to change some steps alone adds a variant.

    A step may have phases before this one, in `phases`. Each is of the same form, on the same
    micro-batches of the same window, and ends with a probe in the place of the update. A probe
    reads what an update reads, and writes states that are not saved with the weights. Parameters
    and all else stay what they are until `update`. An accumulator is summed over ranks for the
    first probe or update that takes it. One that the `micro` of a later phase does not return
    keeps that sum, so `update` may read what an earlier phase has summed, and needs no `micro`
    of its own then. States that a probe writes are written in a step that is not applied, too.

    A phase that repeats is done again while its probe returns a number other than 0 for
    `#rt.binding<repeat>`. All ranks must return the same one: it is computed from sums over
    ranks, controls, parameters and states. The probe bounds its repetitions; a run ends with an
    error after 1000.

    A program without a variant has one, of `@micro`, `@combine` and `@update`.

    Constraints:
    * (variant_c1) the functions are functions of the program; `combine` is named from phase
      `step` on, where micro-batches are not added in place.
    * (variant_c2) a function does the same part of every variant that names it.
    * (variant_c3) the last variant of a program lists no steps, and the others do unless the
      selector names them.
    * (variant_c4) a range has `first` and `every` of 1 or more, and `last` of 0, for no end,
      or of `first` or more.
    * (variant_c5) there is a `micro` unless there are phases before the update, and a
      `combine` only where there is a `micro`.
    * (variant_c6) up to phase `linalg`: a probe takes accumulators, controls, parameters, states
      and `#rt.binding<failed>`. It returns states that are not saved with the weights,
      accumulators that it takes and, where a phase that it ends repeats, and only there,
      `#rt.binding<repeat>`, a `tensor<i32>`. It takes no state of a parameter where ranks have
      such states of their own (`train.adasum` with delta).

    Example:
    ```mlir
    train.variant @sampled micro(@micro_sampled) update(@update_sampled)
        on [#train.steps<first = 3, every = 3>]
    train.variant @plain micro(@micro) update(@update)
    ```
    A line search, whose update takes the gradient of the first phase:
    ```mlir
    train.variant @search
        phases [#train.phase<micro = @micro, probe = @direction>,
                #train.phase<micro = @micro_trial, probe = @judge, repeats = true>]
        update(@step)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<FlatSymbolRefAttr>:$micro,
                       OptionalAttr<FlatSymbolRefAttr>:$combine, FlatSymbolRefAttr:$update,
                       DefaultValuedAttr<Train_StepRanges, "{}">:$steps,
                       DefaultValuedAttr<Train_Phases, "{}">:$phases);
  let assemblyFormat = [{
    $sym_name (`phases` $phases^)? (`micro` `(` $micro^ `)`)? (`combine` `(` $combine^ `)`)?
    `update` `(` $update `)` (`on` $steps^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// (variant_c6); the functions exist.
    ::llvm::LogicalResult verifyBindings();
  }];
}

#endif // BOOSTC_TRAIN_VARIANT
