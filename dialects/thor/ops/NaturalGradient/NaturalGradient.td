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
    not those of all parameters in the same one.
    `boostc-precondition-gradients` replaces it by what that takes.

    Constraints:
    * (natural_gradient_c1) frequency and block size are 1 or more.

    Example:
    ```mlir
    %1 = thor.natural_gradient %0 of @fc1.weight damping %lambda frequency 100 block_size 128
        : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins Thor_Tensor:$gradient, FlatSymbolRefAttr:$parameter,
                       Thor_Number:$damping, I64Attr:$frequency, I64Attr:$block_size,
                       UnitAttr:$staggered);
  let results = (outs Thor_Tensor:$result);
  let assemblyFormat = [{
    $gradient `of` $parameter `damping` $damping `frequency` $frequency
    `block_size` $block_size (`staggered` $staggered^)? attr-dict `:` type($gradient)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_NATURAL_GRADIENT
