#ifndef BOOSTC_NN_RELU6
#define BOOSTC_NN_RELU6

include "dialects/nn/NnBase.td"

def Nn_Relu6Op : Nn_ActivationOp<"relu6", [Nn_Monotonic]> {
  let summary = "rectifier that ends at 6";
  let description = [{
    `y = min(max(x, 0), 6)`; a NaN stays. Source: Howard et al., "MobileNets", 2017.
    Backward: `dx = 0 < y < 6 ? dy : 0`.

    Example:
    ```mlir
    %y = nn.relu6 %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Rectifier that ends at 6, `y = min(max(x, 0), 6)`.";
  let saved = "Result";
}

#endif // BOOSTC_NN_RELU6
