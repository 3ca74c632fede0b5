#ifndef BOOSTC_NN_LEAKY_RELU
#define BOOSTC_NN_LEAKY_RELU

include "dialects/nn/NnBase.td"

def Nn_LeakyReluOp
    : Nn_ActivationOp<"leaky_relu", [Nn_Monotonic], (ins F64Attr:$slope)> {
  let summary = "rectifier with a small slope for negative values";
  let description = [{
    `y = x > 0 ? x : slope * x`; a NaN stays. Source: Maas et al., 2013. Backward:
    `dx = x > 0 ? dy : slope * dy`.

    Constraints:
    * (leaky_relu_c1) the slope is 0 or more, so that the function never decreases.

    Example:
    ```mlir
    %y = nn.leaky_relu %x slope 0.01 : tensor<32x512xf32>
    ```
  }];
  let assemblyFormat = "$input `slope` $slope attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_LEAKY_RELU
