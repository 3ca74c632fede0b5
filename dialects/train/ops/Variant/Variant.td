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

    A program without a variant has one, of `@micro`, `@combine` and `@update`.

    Constraints:
    * (variant_c1) the functions are functions of the program; `combine` is named from phase
      `step` on, where micro-batches are not added in place.
    * (variant_c2) a function does the same part of every variant that names it.
    * (variant_c3) the last variant of a program lists no steps, and the others do unless the
      selector names them.
    * (variant_c4) a range has `first` and `every` of 1 or more, and `last` of 0, for no end,
      or of `first` or more.

    Example:
    ```mlir
    train.variant @sampled micro(@micro_sampled) update(@update_sampled)
        on [#train.steps<first = 3, every = 3>]
    train.variant @plain micro(@micro) update(@update)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$micro,
                       OptionalAttr<FlatSymbolRefAttr>:$combine, FlatSymbolRefAttr:$update,
                       DefaultValuedAttr<Train_StepRanges, "{}">:$steps);
  let assemblyFormat = [{
    $sym_name `micro` `(` $micro `)` (`combine` `(` $combine^ `)`)? `update` `(` $update `)`
    (`on` $steps^)? attr-dict
  }];
}

#endif // BOOSTC_TRAIN_VARIANT
