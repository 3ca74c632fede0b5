#ifndef BOOSTC_NN_SOFTMAX_CROSS_ENTROPY
#define BOOSTC_NN_SOFTMAX_CROSS_ENTROPY

include "dialects/nn/NnBase.td"

def Nn_SoftmaxCrossEntropyOp : Nn_Op<"softmax_cross_entropy", [Nn_ComputesFloat32,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "cross-entropy of the softmax of logits, sparse labels";
  let description = [{
    The pair (sum, count) over the first `valid` samples, where a row of the logits, along
    the last dimension, has a label:
    `sum = sum over n < valid of log(sum over c of exp(l[n, ..., c])) - l[n, ..., label[n, ...]]`,
    `count = valid` times the labels of a sample. With `smoothing` e the target is not one
    class but a distribution t, and the term is
    `-sum over c of t[c] * log(softmax(l[n])[c])`: over K classes
    `t[label] = 1 - e + e / K` and `t[c] = e / K` for the others (Szegedy et al., CVPR
    2016), or with `others` `t[label] = 1 - e`, `t[c] = e / (K - 1)`. The mean is formed
    once per optimizer step, not here. The row's maximum is subtracted before `exp`, so
    large logits do not overflow. Labels lie in `[0, classes)`; the loaders check that.
    `weights` are factors, one for each label: `sum` adds `w[n, ...]` times the term.

    Constraints:
    * (softmax_cross_entropy_c1) `logits` are `[batch, ..., classes]`.
    * (softmax_cross_entropy_c2) `labels` and `weights` have the shape of the logits without
      the classes.
    * (softmax_cross_entropy_c3) `smoothing` is at least 0 and below 1.

    Example:
    ```mlir
    %sum, %count = nn.softmax_cross_entropy %logits, %labels, %valid
        : tensor<32x10xf32>, tensor<32xi32>
    %s, %c = nn.softmax_cross_entropy %tags, %tag, %valid weights %w
        : tensor<32x128x9xf32>, tensor<32x128xi32>, tensor<32x128xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$logits, Nn_Labels:$labels, Nn_Valid:$valid,
                       Optional<Nn_Weights>:$weights, OptionalAttr<F64Attr>:$smoothing,
                       UnitAttr:$others);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $logits `,` $labels `,` $valid (`weights` $weights^)? (`smoothing` $smoothing^)?
    (`others` $others^)? attr-dict `:` type($logits) `,` type($labels)
    (`,` type($weights)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the labelled class and each other one are to be.
    std::pair<double, double> getTargets();
  }];
}

def Nn_SoftmaxCrossEntropyGradOp : Nn_Op<"softmax_cross_entropy_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "gradient of softmax_cross_entropy's sum";
  let description = [{
    `dl[n, ..., c] = dsum * (softmax(l[n, ...])[c] - (c = label[n, ...] ? 1 : 0))` for
    `n < valid`, else 0, with the target t[c] in place of 1 and 0 when smoothing: the rows
    that pad a batch get no gradient, here and so everywhere before. With `weights` w,
    `dsum * w[n, ...]` stands for `dsum`.

    Constraints: those of `nn.softmax_cross_entropy`.

    Example:
    ```mlir
    %dl = nn.softmax_cross_entropy_grad %dsum, %logits, %labels, %valid
        : tensor<32x10xf32>, tensor<32xi32>
    ```
  }];
  let arguments = (ins Nn_Sum:$gradient, Nn_Tensor:$logits, Nn_Labels:$labels,
                       Nn_Valid:$valid, Optional<Nn_Weights>:$weights,
                       OptionalAttr<F64Attr>:$smoothing, UnitAttr:$others);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $logits `,` $labels `,` $valid (`weights` $weights^)?
    (`smoothing` $smoothing^)? (`others` $others^)? attr-dict
    `:` type($logits) `,` type($labels) (`,` type($weights)^)?
  }];
  let extraClassDeclaration = [{
    /// What the labelled class and each other one are to be.
    std::pair<double, double> getTargets();
  }];
}

#endif // BOOSTC_NN_SOFTMAX_CROSS_ENTROPY
