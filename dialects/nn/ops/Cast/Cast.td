#ifndef BOOSTC_NN_CAST
#define BOOSTC_NN_CAST

include "dialects/nn/NnBase.td"

def Nn_CastOp : Nn_Op<"cast", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "rounds to another type of floating point";
  let description = [{
    `y = x` with elements of another type: exact from bf16 or f16 to f32, else rounded to
    nearest, ties to even; what is too large becomes infinite. Backward: `dx` is `dy` in the
    type of `x`. A sum in f32 that was rounded to be `dy` is taken as it was, so that
    gradients of parameters are not rounded.

    Constraints:
    * (cast_c1) both tensors have the same shape.

    Example:
    ```mlir
    %y = nn.cast %x : tensor<32x512xf32> to tensor<32x512xbf16>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // BOOSTC_NN_CAST
