#ifndef BOOSTC_NN_TOP_K
#define BOOSTC_NN_TOP_K

include "dialects/nn/NnBase.td"

def Nn_TopKOp : Nn_Op<"top_k", [Nn_ComputesFloat32,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "how often the label is among the k largest logits";
  let description = [{
    The pair (sum, count) over the labels of the first `valid` samples, a label for each
    row of the logits along the last dimension, of the metric top-k accuracy: a label t
    counts when fewer than `k` classes beat it, where class c of row l beats t if
    `l[c] > l[t]`, or `l[c] = l[t]` and `c < t`, or either is a NaN. So ties go to the
    lower class, as an argmax does, and NaNs are never correct. With `weights`, `sum` adds
    the weight of each label that counts.

    Constraints:
    * (top_k_c1) `logits` are `[batch, ..., classes]`.
    * (top_k_c2) `labels` and `weights` have the shape of the logits without the classes.
    * (top_k_c3) `1 <= k <= classes`.

    Example:
    ```mlir
    %sum, %count = nn.top_k 5, %logits, %labels, %valid
        : tensor<32x10xf32>, tensor<32xi32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$logits, Nn_Labels:$labels, Nn_Valid:$valid,
                       Optional<Nn_Weights>:$weights,
                       IntProp<"int64_t">:$k);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $k `,` $logits `,` $labels `,` $valid (`weights` $weights^)? attr-dict
    `:` type($logits) `,` type($labels) (`,` type($weights)^)?
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_TOP_K
