#ifndef BOOSTC_NN_SIGMOID
#define BOOSTC_NN_SIGMOID

include "dialects/nn/NnBase.td"

def Nn_SigmoidOp : Nn_Op<"sigmoid", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "logistic function";
  let description = [{
    `y = 1 / (1 + exp(-x))`. Backward: see `nn.sigmoid_grad`.

    Example:
    ```mlir
    %y = nn.sigmoid %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_SigmoidGradOp : Nn_Op<"sigmoid_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of sigmoid";
  let description = [{
    `dx = dy * y * (1 - y)`, from the result, so that the input need not stay alive.

    Example:
    ```mlir
    %dx = nn.sigmoid_grad %dy, %y : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$output);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $output attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SIGMOID
