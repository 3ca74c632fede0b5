#ifndef BOOSTC_NN_LEAKY_RELU
#define BOOSTC_NN_LEAKY_RELU

include "dialects/nn/NnBase.td"

def Nn_LeakyReluOp : Nn_Op<"leaky_relu", [
    SameOperandsAndResultType, Nn_Monotonic,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "rectifier with a small slope for negative values";
  let description = [{
    `y = x > 0 ? x : slope * x`; a NaN stays. Source: Maas et al., 2013. Backward: see
    `nn.leaky_relu_grad`.

    Constraints:
    * (leaky_relu_c1) the slope is 0 or more, so that the function never decreases.

    Example:
    ```mlir
    %y = nn.leaky_relu %x slope 0.01 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, F64Attr:$slope);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `slope` $slope attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nn_LeakyReluGradOp : Nn_Op<"leaky_relu_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of leaky_relu";
  let description = [{
    `dx = x > 0 ? dy : slope * dy`.

    Example:
    ```mlir
    %dx = nn.leaky_relu_grad %dy, %x slope 0.01 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, F64Attr:$slope);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$gradient `,` $input `slope` $slope attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_LEAKY_RELU
