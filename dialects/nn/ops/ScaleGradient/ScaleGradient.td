#ifndef BOOSTC_NN_SCALE_GRADIENT
#define BOOSTC_NN_SCALE_GRADIENT

include "dialects/nn/NnBase.td"

def Nn_ScaleGradientOp : Nn_Op<"scale_gradient", [
    Boost_Precision<"Move", 1>, AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>]> {
  let summary = "the input, with a gradient of another scale";
  let description = [{
    `y = x`. Backward: `dx = dy * (to / from)`, `nn.scale_gradient_grad`. It is on an edge
    from a layer whose gradients are `to` times the true ones to a layer in which they are
    `from` times as large. Both scales are above 0, and no gradient flows to them.

    Nothing folds it: the forward is the identity, and the backward is what it is for. It
    lowers to its input.

    Example:
    ```mlir
    %y = nn.scale_gradient %x by %s0 over %s1 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Sum:$to, Nn_Sum:$from);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `by` $to `over` $from attr-dict `:` type($result)";
}

def Nn_ScaleGradientGradOp : Nn_Op<"scale_gradient_grad", [
    AllTypesMatch<["gradient", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "a gradient of one scale in another one";
  let description = [{
    `dx = dy * (to / from)`, elementwise. The quotient is rounded before the multiplication,
    so that equal scales change no bit.

    Example:
    ```mlir
    %dx = nn.scale_gradient_grad %dy by %s0 over %s1 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Sum:$to, Nn_Sum:$from);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `by` $to `over` $from attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SCALE_GRADIENT
