#ifndef BOOSTC_NN_TANH
#define BOOSTC_NN_TANH

include "dialects/nn/NnBase.td"

def Nn_TanhOp : Nn_ActivationOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = [{
    `y = tanh(x)`. Backward: `dx = dy * (1 - y * y)`.

    Example:
    ```mlir
    %y = nn.tanh %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Hyperbolic tangent, `y = tanh(x)`.";
  let saved = "Result";
}

#endif // BOOSTC_NN_TANH
