#ifndef BOOSTC_NN_SIGMOID
#define BOOSTC_NN_SIGMOID

include "dialects/nn/NnBase.td"

def Nn_SigmoidOp : Nn_ActivationOp<"sigmoid"> {
  let summary = "logistic function";
  let description = [{
    `y = 1 / (1 + exp(-x))`. Backward: `dx = dy * y * (1 - y)`.

    Example:
    ```mlir
    %y = nn.sigmoid %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Logistic function, `y = 1 / (1 + exp(-x))`.";
  let saved = "Result";
}

#endif // BOOSTC_NN_SIGMOID
