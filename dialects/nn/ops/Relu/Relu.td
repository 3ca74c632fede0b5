#ifndef BOOSTC_NN_RELU
#define BOOSTC_NN_RELU

include "dialects/nn/NnBase.td"

def Nn_ReluOp : Nn_Op<"relu", [
    SameOperandsAndResultType, Nn_Monotonic,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "rectified linear unit";
  let description = [{
    `y = x > 0 ? x : 0`; a NaN stays a NaN, so that a diverged run is seen in the loss.
    Backward: `dx = y > 0 ? dy : 0` (0 at x = 0).

    Example:
    ```mlir
    %y = nn.relu %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_ReluGradOp : Nn_Op<"relu_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of relu";
  let description = [{
    `dx = y > 0 ? dy : 0`, from relu's result rather than its input, so that the input
    need not stay alive.

    Example:
    ```mlir
    %dx = nn.relu_grad %dy, %y : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$output);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $output attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_RELU
