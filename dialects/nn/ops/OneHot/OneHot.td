#ifndef BOOSTC_NN_ONE_HOT
#define BOOSTC_NN_ONE_HOT

include "dialects/nn/NnBase.td"

def Nn_OneHotOp : Nn_Op<"one_hot", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "labels as rows of zeros with one 1";
  let description = [{
    `y[n, ..., c] = (c = label[n, ...] ? 1 : 0)`: what a loss on numbers compares with when the
    data are labels.

    Constraints:
    * (one_hot_c1) the result is `[batch, ..., classes]` for labels `[batch, ...]`.

    Example:
    ```mlir
    %y = nn.one_hot %label : tensor<32xi32> -> tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Labels:$labels);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$labels attr-dict `:` type($labels) `->` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_ONE_HOT
