#ifndef BOOSTC_NN_CROSS_ENTROPY
#define BOOSTC_NN_CROSS_ENTROPY

include "dialects/nn/NnBase.td"

def Nn_CrossEntropyOp : Nn_Op<"cross_entropy", [Nn_ComputesFloat32,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    BatchReducingOpInterface]> {
  let summary = "cross-entropy with soft targets";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds
    `-sum over a sample's elements of t * l` with l the log-probabilities, as
    `nn.log_softmax` computes them, and t the target probabilities; `count = valid`
    times the distributions of a sample, which are along the last dimension. No gradient
    flows to the targets. `weights` are factors, one for each distribution.

    Constraints:
    * (cross_entropy_c1) logarithms and targets have one shape `[batch, ...]`, and weights
      have it without the last dimension.

    Example:
    ```mlir
    %sum, %count = nn.cross_entropy %logarithms, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$logarithms, Nn_Tensor:$targets, Nn_Valid:$valid,
                       Optional<Nn_Weights>:$weights);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $logarithms `,` $targets `,` $valid (`weights` $weights^)? attr-dict
    `:` type($logarithms) `,` type($targets) (`,` type($weights)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loss of one output, from (logarithm, target).
    ::boostc::ScalarRule getScalarRule();
  }];
}

def Nn_CrossEntropyGradOp : Nn_Op<"cross_entropy_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of cross_entropy's sum";
  let description = [{
    `dl = -dsum * t` for the samples below `valid`, else 0; with `weights`, times the weight
    of the distribution.

    Constraints:
    * (cross_entropy_grad_c1) targets are `[batch, ...]`, and weights have this shape without
      the last dimension.

    Example:
    ```mlir
    %dl = nn.cross_entropy_grad %dsum, %targets, %valid : tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Sum:$gradient, Nn_Tensor:$targets, Nn_Valid:$valid,
                       Optional<Nn_Weights>:$weights);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $targets `,` $valid (`weights` $weights^)? attr-dict
    `:` type($targets) (`,` type($weights)^)?
  }];
}

#endif // BOOSTC_NN_CROSS_ENTROPY
