#ifndef BOOSTC_NN_EXPECTED_NLL
#define BOOSTC_NN_EXPECTED_NLL

include "dialects/nn/NnBase.td"

def Nn_ExpectedNllOp : Nn_Op<"expected_nll", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    BatchReducingOpInterface]> {
  let summary = "expected negative log-likelihood, dense targets";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds
    `-sum over a sample's elements of t * l` with l the logarithms of probabilities and t
    what each outcome's probability should be; `count = valid`. On the result of
    `nn.log_softmax` it is the cross-entropy of distributions. No gradient flows to the
    targets.

    Constraints:
    * (expected_nll_c1) logarithms and targets have one shape `[batch, ...]`.

    Example:
    ```mlir
    %sum, %count = nn.expected_nll %logarithms, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$logarithms, Nn_Tensor:$targets, Nn_Valid:$valid);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $logarithms `,` $targets `,` $valid attr-dict `:` type($logarithms) `,`
    type($targets)
  }];
  let hasVerifier = 1;
}

def Nn_ExpectedNllGradOp : Nn_Op<"expected_nll_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "gradient of expected_nll's sum";
  let description = [{
    `dl = -dsum * t` for the samples below `valid`, else 0.

    Constraints:
    * (expected_nll_grad_c1) targets are `[batch, ...]`.

    Example:
    ```mlir
    %dl = nn.expected_nll_grad %dsum, %targets, %valid : tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Sum:$gradient, Nn_Tensor:$targets, Nn_Valid:$valid);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $targets `,` $valid attr-dict `:` type($targets)
  }];
}

#endif // BOOSTC_NN_EXPECTED_NLL
