#ifndef BOOSTC_NN_SQUARE
#define BOOSTC_NN_SQUARE

include "dialects/nn/NnBase.td"

def Nn_SquareOp : Nn_ActivationOp<"square"> {
  let summary = "elementwise square";
  let description = [{
    `y = x * x`. Backward: `dx = dy * 2 * x`.

    Example:
    ```mlir
    %y = nn.square %x : tensor<32x512xf32>
    ```
  }];
  let layer = "Elementwise square, `y = x * x`.";
}

#endif // BOOSTC_NN_SQUARE
