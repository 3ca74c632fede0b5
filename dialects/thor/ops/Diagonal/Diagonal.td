#ifndef BOOSTC_THOR_DIAGONAL
#define BOOSTC_THOR_DIAGONAL

include "dialects/thor/ThorBase.td"

def Thor_PreconditionDiagonalOp : Thor_Computation<"precondition_diagonal", [
    AllTypesMatch<["gradient", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "a gradient divided by its own damped squares";
  let description = [{
    `p = g / (g * g / count + sqrt(damping))` for each element, where the divisor is 2^-40 or
    more, else `g`: the rule of THOR for the scale and shift of layer normalisation, whose Fisher
    matrix it takes as diagonal. `g` is the mean gradient of `count` samples.

    Example:
    ```mlir
    %p = thor.precondition_diagonal %g by %count damping %lambda : tensor<64xf32>
    ```
  }];
  let arguments = (ins Thor_Tensor:$gradient, Thor_Count:$count, Thor_Number:$damping);
  let results = (outs Thor_Tensor:$result);
  let assemblyFormat = "$gradient `by` $count `damping` $damping attr-dict `:` type($gradient)";
}

#endif // BOOSTC_THOR_DIAGONAL
