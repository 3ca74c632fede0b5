#ifndef BOOSTC_NN_BINARY_CROSS_ENTROPY
#define BOOSTC_NN_BINARY_CROSS_ENTROPY

include "dialects/nn/NnBase.td"

def Nn_BinaryCrossEntropyOp : Nn_Op<"binary_cross_entropy", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "cross-entropy of independent yes-no outputs, given as logits";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `max(p, 0) - p * t + log(1 + exp(-|p|))`, `count = valid`. The outputs are logits:
    the formula is `-t * log(s) - (1 - t) * log(1 - s)` with `s = 1 / (1 + exp(-p))`,
    written so that nothing overflows. No
    gradient flows to the targets.

    Constraints:
    * (binary_cross_entropy_c1) outputs and targets have one shape `[batch, ...]`.

    Example:
    ```mlir
    %sum, %count = nn.binary_cross_entropy %outputs, %targets, %valid
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

def Nn_BinaryCrossEntropyGradOp : Nn_Op<"binary_cross_entropy_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "gradient of binary_cross_entropy's sum";
  let description = [{
    `dp = dsum * (1 / (1 + exp(-p)) - t) / elements of a sample` for the samples
    below `valid`, else 0.

    Constraints: those of `nn.binary_cross_entropy`.

    Example:
    ```mlir
    %dp = nn.binary_cross_entropy_grad %dsum, %outputs, %targets, %valid
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

#endif // BOOSTC_NN_BINARY_CROSS_ENTROPY
