#ifndef BOOSTC_NN_TOP_K
#define BOOSTC_NN_TOP_K

include "dialects/nn/NnBase.td"

def Nn_TopKOp : Nn_Op<"top_k", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "how often the label is among the k largest logits";
  let description = [{
    The pair (sum, count) over the first `valid` samples of the metric top-k accuracy:
    sample n counts when fewer than `k` classes beat its label, where class c beats
    label t if `l[n, c] > l[n, t]`, or `l[n, c] = l[n, t]` and `c < t`, or either is a
    NaN. So ties go to the lower class, as an argmax does, and NaNs are never correct.

    Constraints:
    * (top_k_c1) `logits` is a matrix `[batch, classes]`.
    * (top_k_c2) `labels` is a vector `[batch]`.
    * (top_k_c3) `1 <= k <= classes`.

    Example:
    ```mlir
    %sum, %count = nn.top_k 5, %logits, %labels, %valid
        : tensor<32x10xf32>, tensor<32xi32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$logits, Nn_Labels:$labels, Nn_Valid:$valid,
                       IntProp<"int64_t">:$k);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $k `,` $logits `,` $labels `,` $valid attr-dict `:` type($logits) `,` type($labels)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_TOP_K
