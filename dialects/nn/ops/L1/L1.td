#ifndef BOOSTC_NN_L1
#define BOOSTC_NN_L1

include "dialects/nn/NnBase.td"

def Nn_L1Op : Nn_PointwiseLossOp<"l1"> {
  let summary = "mean absolute error";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `|p - t|`, `count = valid`. No gradient flows to the targets.
    `weights` w are factors: of each sample `w[n]` times its mean.
    Backward: `dp = dsum * sign(p - t) / elements of a sample`.

    Constraints:
    * (l1_c1) outputs and targets have one shape `[batch, ...]`, weights `[batch]`.

    Example:
    ```mlir
    %sum, %count = nn.l1 %outputs, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let layer =
      "Mean absolute error, `|y - t|` averaged over outputs and samples; t is the " #
      "target, or 1 for the labelled class, else 0.";
}

#endif // BOOSTC_NN_L1
