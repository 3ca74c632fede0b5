#ifndef BOOSTC_NN_L1
#define BOOSTC_NN_L1

include "dialects/nn/NnBase.td"

def Nn_L1Op : Nn_Op<"l1", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "mean absolute error";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `|p - t|`, `count = valid`. No
    gradient flows to the targets.

    Constraints:
    * (l1_c1) outputs and targets have one shape `[batch, ...]`.

    Example:
    ```mlir
    %sum, %count = nn.l1 %outputs, %targets, %valid
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

def Nn_L1GradOp : Nn_Op<"l1_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "gradient of l1's sum";
  let description = [{
    `dp = dsum * sign(p - t) / elements of a sample` for the samples
    below `valid`, else 0.

    Constraints: those of `nn.l1`.

    Example:
    ```mlir
    %dp = nn.l1_grad %dsum, %outputs, %targets, %valid
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

#endif // BOOSTC_NN_L1
