#ifndef BOOSTC_NN_SILU
#define BOOSTC_NN_SILU

include "dialects/nn/NnBase.td"

def Nn_SiluOp : Nn_ActivationOp<"silu"> {
  let summary = "sigmoid linear unit";
  let description = [{
    `y = x / (1 + exp(-x))`, also called swish. Source: Elfwing et al., 2017. Backward:
    `dx = dy * s * (1 + x * (1 - s))` with `s = 1 / (1 + exp(-x))`.

    Example:
    ```mlir
    %y = nn.silu %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Sigmoid linear unit (swish), `y = x / (1 + exp(-x))`.";
}

#endif // BOOSTC_NN_SILU
