#ifndef BOOSTC_THOR_NATURAL_GRADIENT
#define BOOSTC_THOR_NATURAL_GRADIENT

include "dialects/thor/ThorBase.td"

def Thor_NaturalGradientOp : Thor_Op<"natural_gradient", [
    Pure, AllTypesMatch<["gradient", "result"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "the gradient of a parameter, to be preconditioned";
  let description = [{
    The gradient that a rule reads for `parameter`, times the inverse of an approximate Fisher
    matrix of its layer, where the op that gives it in `@micro` knows its factors
    (`PreconditionableOpInterface`); else the gradient. Factors and inverses are computed in
    every `frequency`-th step, from blocks of `block_size`, with damping `damping`; `staggered`,
    not those of all parameters in the same one. With `factor_decay`, inverses are those of
    moving averages of the factors; `balanced`, damping is divided between both by their traces;
    with `kl_clip`, the gradients of all weights with factors are scaled where steps of `rate`
    along them would move the predictions farther (`thor.average_factor`, `thor.split_damping`,
    `thor.kl_factor`). `by_rank`, each rank inverts factors of its own samples, and the inverses
    are averaged. With `refresh_above`, a refresh inverts factors that changed by more than that,
    and with `stop_below` none of a layer any more whose factors once changed by less
    (`thor.trace_change`).
    `boostc-precondition-gradients` replaces it by what that takes.

    Constraints:
    * (natural_gradient_c1) frequency and block size are 1 or more.
    * (natural_gradient_c2) `factor_decay` is at least 0 and below 1.
    * (natural_gradient_c3) `kl_clip` is positive.
    * (natural_gradient_c4) averages are of the factors of all ranks: `by_rank` has none.
    * (natural_gradient_c5) there is a `rate` where there is a `kl_clip`.
    * (natural_gradient_c6) `refresh_above` is positive, and not with `by_rank`; `stop_below` is
      positive, and there is a `refresh_above` that is as large or larger.

    Example:
    ```mlir
    %1 = thor.natural_gradient %0 of @fc1.weight damping %lambda frequency 100 block_size 128
        : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins Thor_Tensor:$gradient, FlatSymbolRefAttr:$parameter,
                       Thor_Number:$damping, Optional<Thor_Number>:$rate, I64Attr:$frequency,
                       I64Attr:$block_size, UnitAttr:$staggered,
                       OptionalAttr<F64Attr>:$factor_decay, UnitAttr:$balanced,
                       OptionalAttr<F64Attr>:$kl_clip, UnitAttr:$by_rank,
                       OptionalAttr<F64Attr>:$refresh_above, OptionalAttr<F64Attr>:$stop_below);
  let results = (outs Thor_Tensor:$result);
  let assemblyFormat = [{
    $gradient `of` $parameter `damping` $damping `frequency` $frequency
    `block_size` $block_size (`staggered` $staggered^)? (`factor_decay` $factor_decay^)?
    (`balanced` $balanced^)? (`kl_clip` $kl_clip^ `rate` $rate)? (`by_rank` $by_rank^)?
    (`refresh_above` $refresh_above^)? (`stop_below` $stop_below^)? attr-dict
    `:` type($gradient)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_NATURAL_GRADIENT
