#ifndef BOOSTC_NN_MSE
#define BOOSTC_NN_MSE

include "dialects/nn/NnBase.td"

def Nn_MseOp : Nn_Op<"mse", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "mean squared error";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `(p - t)^2`, `count = valid`. No
    gradient flows to the targets.

    Constraints:
    * (mse_c1) outputs and targets have one shape `[batch, ...]`.

    Example:
    ```mlir
    %sum, %count = nn.mse %outputs, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$outputs, Nn_Tensor:$targets, Nn_Valid:$valid);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $outputs `,` $targets `,` $valid attr-dict `:` type($outputs) `,` type($targets)
  }];
  let hasVerifier = 1;
}

def Nn_MseGradOp : Nn_Op<"mse_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "gradient of mse's sum";
  let description = [{
    `dp = dsum * 2 * (p - t) / elements of a sample` for the samples
    below `valid`, else 0.

    Constraints: those of `nn.mse`.

    Example:
    ```mlir
    %dp = nn.mse_grad %dsum, %outputs, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Sum:$gradient, Nn_Tensor:$outputs, Nn_Tensor:$targets,
                       Nn_Valid:$valid);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $outputs `,` $targets `,` $valid attr-dict `:` type($outputs) `,`
    type($targets)
  }];
}

#endif // BOOSTC_NN_MSE
