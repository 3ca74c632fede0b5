#ifndef BOOSTC_NN_SILU
#define BOOSTC_NN_SILU

include "dialects/nn/NnBase.td"

def Nn_SiluOp : Nn_Op<"silu", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "sigmoid linear unit";
  let description = [{
    `y = x / (1 + exp(-x))`, also called swish. Source: Elfwing et al., 2017. Backward:
    see `nn.silu_grad`.

    Example:
    ```mlir
    %y = nn.silu %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_SiluGradOp : Nn_Op<"silu_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of silu";
  let description = [{
    `dx = dy * s * (1 + x * (1 - s))` with `s = 1 / (1 + exp(-x))`.

    Example:
    ```mlir
    %dx = nn.silu_grad %dy, %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $input attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SILU
