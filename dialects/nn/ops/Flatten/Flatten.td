#ifndef BOOSTC_NN_FLATTEN
#define BOOSTC_NN_FLATTEN

include "dialects/nn/NnBase.td"

def Nn_FlattenOp : Nn_ReshapeLikeOp<"flatten", [InferTypeOpAdaptor]> {
  let summary = "makes one feature dimension of all";
  let description = [{
    Turns `[n, d1, d2, ...]` into `[n, d1 * d2 * ...]`, row-major. Moves no data.
    Backward: a reshape of `dy` to the input's shape.

    Constraints:
    * (flatten_c1) the input has rank 2 or more.

    Example:
    ```mlir
    %y = nn.flatten %x : tensor<32x1x28x28xf32>
    ```
  }];
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // BOOSTC_NN_FLATTEN
