#ifndef BOOSTC_THOR_PRECONDITION
#define BOOSTC_THOR_PRECONDITION

include "dialects/thor/ThorBase.td"

def Thor_PreconditionOp : Thor_Computation<"precondition", [
    AllTypesMatch<["gradient", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "a gradient between the inverses of the factors of its layer";
  let description = [{
    `G^-1 g A^-1 / positions` where `ready` is not 0, else `g`. The gradient is a matrix of its
    first dimension by all others; of `groups` groups one lies below the other, each with
    factors of its own. `a` and `g` have the blocks of A^-1 and G^-1, of inputs and of outputs;
    what is between blocks is zero. Rows and columns of last blocks that the gradient lacks
    count as zeros. Matmuls with large blocks are calls of a library, `rt.matmul`, each for a
    block of the gradient.

    Constraints:
    * (precondition_c1) groups divide the outputs; blocks of `a` and `g` are square, and as many
      as inputs and outputs of the groups need.

    Example:
    ```mlir
    %p = thor.precondition %dw, %a, %g if %ready groups 1 positions 64
        : tensor<16x16x3x3xf32>, tensor<2x128x128xf32>, tensor<1x16x16xf32>
    ```
  }];
  let arguments = (ins Thor_Tensor:$gradient, Thor_Blocks:$a, Thor_Blocks:$g,
                       Thor_Flag:$ready, I64Attr:$groups, I64Attr:$positions);
  let results = (outs Thor_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $a `,` $g `if` $ready `groups` $groups `positions` $positions attr-dict
    `:` type($gradient) `,` type($a) `,` type($g)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_PRECONDITION
