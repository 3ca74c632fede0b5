#ifndef BOOSTC_NN_ELEMENTWISE_GRAD
#define BOOSTC_NN_ELEMENTWISE_GRAD

include "dialects/nn/NnBase.td"

def Nn_ElementwiseGradOp : Nn_ElementwiseOp<"elementwise_grad"> {
  let summary = "gradient of an activation";
  let description = [{
    `dx = dy * f'(x)` for each element, for the elementwise function f of one tensor that
    `function` names with its attributes. The function's own page gives the formula. `saved`
    is the input of the function or its result, whichever its formula reads: the other need
    not stay alive.

    Constraints:
    * (elementwise_grad_c1) `function` is an elementwise op of one tensor with a gradient
      rule (`ScalarFunctionOpInterface`).
    * (elementwise_grad_c2) its attributes are valid.

    Example:
    ```mlir
    %dx = nn.elementwise_grad %dy, %y of nn.relu : tensor<32x512xf32>
    %dz = nn.elementwise_grad %dx, %z of nn.leaky_relu {slope = 0.01 : f64}
        : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$saved, Nn_FunctionAttr:$function);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $saved attr-dict `of` custom<Function>($function) `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_ELEMENTWISE_GRAD
