#ifndef BOOSTC_NN_BROADCAST
#define BOOSTC_NN_BROADCAST

include "dialects/nn/NnBase.td"

def Nn_BroadcastOp : Nn_MovementOp<"broadcast", [
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "repeats a value along dimensions";
  let description = [{
    `y` has the dimensions `axes` in addition to those of `x` and does not change along
    them. What gradients of reductions are made of, and layers that read values with
    extents of 1. Backward: the sum of `dy` along `axes`.

    Constraints:
    * (broadcast_c1) `axes` are distinct dimensions of the result after the batch, and
      the others have the shape of `x`.

    Example:
    ```mlir
    %y = nn.broadcast %x along [1] : tensor<32x8xf32> -> tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$input `along` $axes attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_BROADCAST
