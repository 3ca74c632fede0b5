#ifndef BOOSTC_NN_TANH
#define BOOSTC_NN_TANH

include "dialects/nn/NnBase.td"

def Nn_TanhOp : Nn_Op<"tanh", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "hyperbolic tangent";
  let description = [{
    `y = tanh(x)`. Backward: see `nn.tanh_grad`.

    Example:
    ```mlir
    %y = nn.tanh %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_TanhGradOp : Nn_Op<"tanh_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of tanh";
  let description = [{
    `dx = dy * (1 - y * y)`, from the result, so that the input need not stay alive.

    Example:
    ```mlir
    %dx = nn.tanh_grad %dy, %y : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$output);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $output attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_TANH
