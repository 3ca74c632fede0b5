#ifndef BOOSTC_NN_RELU
#define BOOSTC_NN_RELU

include "dialects/nn/NnBase.td"

def Nn_ReluOp : Nn_ActivationOp<"relu", [Nn_ComputesLow<1>, Nn_Monotonic]> {
  let summary = "rectified linear unit";
  let description = [{
    `y = x > 0 ? x : 0`; a NaN stays a NaN, so that a diverged run is seen in the loss.
    Backward: `dx = y > 0 ? dy : 0` (0 at x = 0).

    Example:
    ```mlir
    %y = nn.relu %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Rectified linear unit, `y = max(x, 0)`.";
  let saved = "Result";
}

#endif // BOOSTC_NN_RELU
