#ifndef BOOSTC_NN_SOFTPLUS
#define BOOSTC_NN_SOFTPLUS

include "dialects/nn/NnBase.td"

def Nn_SoftplusOp : Nn_ActivationOp<"softplus"> {
  let summary = "smooth rectifier";
  let description = [{
    `y = log(1 + exp(x))`, as `max(x, 0) + log(1 + exp(-|x|))`, which does not overflow.
    Source: Dugas et al., 2000. Backward: `dx = dy / (1 + exp(-x))`.

    Example:
    ```mlir
    %y = nn.softplus %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Smooth rectifier, `y = log(1 + exp(x))`.";
}

#endif // BOOSTC_NN_SOFTPLUS
