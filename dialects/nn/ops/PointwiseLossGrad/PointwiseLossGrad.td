#ifndef BOOSTC_NN_POINTWISE_LOSS_GRAD
#define BOOSTC_NN_POINTWISE_LOSS_GRAD

include "dialects/nn/NnBase.td"

def Nn_PointwiseLossGradOp : Nn_Op<"pointwise_loss_grad", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of the sum of a loss that compares each output with a number";
  let description = [{
    `dp = dsum * df(p, t)/dp / elements of a sample` for the samples below `valid`, else 0:
    the gradient with respect to the outputs p of the loss f that `function` names with its
    attributes. With `weights` w, `dsum * w[n]` stands for `dsum`. The loss's own page gives
    the derivative.

    Constraints:
    * (pointwise_loss_grad_c1) outputs and targets have one shape `[batch, ...]`, weights
      `[batch]`.
    * (pointwise_loss_grad_c2) `function` is a loss of outputs, targets and `valid` with a
      gradient rule (`ScalarFunctionOpInterface`).

    Example:
    ```mlir
    %dp = nn.pointwise_loss_grad %dsum, %outputs, %targets, %valid of nn.mse
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Sum:$gradient, Nn_Tensor:$outputs, Nn_Tensor:$targets,
                       Nn_Valid:$valid, Optional<Nn_Weights>:$weights,
                       Nn_FunctionAttr:$function);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $outputs `,` $targets `,` $valid (`weights` $weights^)? attr-dict `of`
    custom<Function>($function) `:` type($outputs) `,` type($targets)
    (`,` type($weights)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The gradient of one output, from (dsum, output, target).
    ::boostc::ScalarRule getScalarRule();
  }];
}

#endif // BOOSTC_NN_POINTWISE_LOSS_GRAD
