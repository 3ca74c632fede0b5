#ifndef BOOSTC_NN_RESHAPE
#define BOOSTC_NN_RESHAPE

include "dialects/nn/NnBase.td"

def Nn_ReshapeOp : Nn_ReshapeLikeOp<"reshape"> {
  let summary = "gives the features another shape";
  let description = [{
    The same elements in row-major order under another shape; the batch stays. Moves no
    data. Backward: a reshape of `dy` to the input's shape.

    Constraints:
    * (reshape_c1) both shapes have the same number of elements.
    * (reshape_c2) dimension 0, the batch, is the same.

    Example:
    ```mlir
    %y = nn.reshape %x : tensor<32x784xf32> to tensor<32x1x28x28xf32>
    ```
  }];
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // BOOSTC_NN_RESHAPE
