#ifndef BOOSTC_NN_RELU6
#define BOOSTC_NN_RELU6

include "dialects/nn/NnBase.td"

def Nn_Relu6Op : Nn_Op<"relu6", [
    SameOperandsAndResultType, Nn_Monotonic,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "rectifier that ends at 6";
  let description = [{
    `y = min(max(x, 0), 6)`; a NaN stays. Source: Howard et al., "MobileNets", 2017.
    Backward: see `nn.relu6_grad`.

    Example:
    ```mlir
    %y = nn.relu6 %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_Relu6GradOp : Nn_Op<"relu6_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of relu6";
  let description = [{
    `dx = 0 < y < 6 ? dy : 0`, from the result, so that the input need not stay alive.

    Example:
    ```mlir
    %dx = nn.relu6_grad %dy, %y : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$output);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $output attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_RELU6
