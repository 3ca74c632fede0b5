#ifndef BOOSTC_NN_WEIGHT_SUM
#define BOOSTC_NN_WEIGHT_SUM

include "dialects/nn/NnBase.td"

def Nn_WeightSumOp : Nn_Op<"weight_sum", [Nn_ComputesFloat32,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "sum of the weights of samples";
  let description = [{
    `y = sum over n < valid of w[n, ...]`: what the sum of a loss over weighted samples is
    divided by, in place of their number.

    Example:
    ```mlir
    %y = nn.weight_sum %w, %valid : tensor<32xf32>
    ```
  }];
  let arguments = (ins Nn_Weights:$weights, Nn_Valid:$valid);
  let results = (outs Nn_Sum:$result);
  let assemblyFormat = "$weights `,` $valid attr-dict `:` type($weights)";
}

#endif // BOOSTC_NN_WEIGHT_SUM
