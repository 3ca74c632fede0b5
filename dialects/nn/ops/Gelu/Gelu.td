#ifndef BOOSTC_NN_GELU
#define BOOSTC_NN_GELU

include "dialects/nn/NnBase.td"

def Nn_GeluOp : Nn_ActivationOp<"gelu", [], (ins UnitAttr:$tanh)> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `y = x * Phi(x)`, `Phi(x) = (1 + erf(x / sqrt(2))) / 2`; with `tanh` the approximation
    `y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`. Source: Hendrycks and
    Gimpel, "Gaussian Error Linear Units", 2016.

    Backward: `dx = dy * (Phi(x) + x * phi(x))` with the normal density
    `phi(x) = exp(-x^2 / 2) / sqrt(2 * pi)`; with `tanh`, for
    `t = tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))`:
    `dx = dy * ((1 + t) + x * (1 - t^2) * sqrt(2 / pi) * (1 + 0.134145 * x^2)) / 2`.

    Example:
    ```mlir
    %y = nn.gelu %x tanh : tensor<32x512xf32>
    ```
  }];
  let assemblyFormat = "$input (`tanh` $tanh^)? attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_GELU
