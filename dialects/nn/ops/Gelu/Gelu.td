#ifndef BOOSTC_NN_GELU
#define BOOSTC_NN_GELU

include "dialects/nn/NnBase.td"

def Nn_GeluOp : Nn_Op<"gelu", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `y = x * Phi(x)`, `Phi(x) = (1 + erf(x / sqrt(2))) / 2`; with `tanh` the approximation
    `y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`. Source: Hendrycks and
    Gimpel, "Gaussian Error Linear Units", 2016. Backward: see `nn.gelu_grad`.

    Example:
    ```mlir
    %y = nn.gelu %x tanh : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, UnitAttr:$tanh);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input (`tanh` $tanh^)? attr-dict `:` type($result)";
}

def Nn_GeluGradOp : Nn_Op<"gelu_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of gelu";
  let description = [{
    `dx = dy * (Phi(x) + x * phi(x))` with the normal density
    `phi(x) = exp(-x^2 / 2) / sqrt(2 * pi)`; with `tanh`, for
    `t = tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))`:
    `dx = dy * ((1 + t) + x * (1 - t^2) * sqrt(2 / pi) * (1 + 0.134145 * x^2)) / 2`.

    Example:
    ```mlir
    %dx = nn.gelu_grad %dy, %x tanh : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, UnitAttr:$tanh);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$gradient `,` $input (`tanh` $tanh^)? attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_GELU
