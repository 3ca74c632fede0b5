#ifndef BOOSTC_NN_SCALE
#define BOOSTC_NN_SCALE

include "dialects/nn/NnBase.td"

def Nn_ScaleOp : Nn_ElementwiseOp<"scale", [
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "multiplies by a number";
  let description = [{
    `y = factor * x`. Backward: `dx = factor * dy`.

    Example:
    ```mlir
    %y = nn.scale %x by 0.5 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, F64Attr:$factor);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SCALE
