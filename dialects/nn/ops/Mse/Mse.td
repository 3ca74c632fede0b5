#ifndef BOOSTC_NN_MSE
#define BOOSTC_NN_MSE

include "dialects/nn/NnBase.td"

def Nn_MseOp : Nn_PointwiseLossOp<"mse"> {
  let summary = "mean squared error";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `(p - t)^2`, `count = valid`. No gradient flows to the targets.
    `weights` w are factors: of each sample `w[n]` times its mean.
    Backward: `dp = dsum * 2 * (p - t) / elements of a sample`.

    Constraints:
    * (mse_c1) outputs and targets have one shape `[batch, ...]`, weights `[batch]`.

    Example:
    ```mlir
    %sum, %count = nn.mse %outputs, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let layer =
      "Mean squared error, `(y - t)^2` averaged over outputs and samples; t is the " #
      "target, or 1 for the labelled class, else 0.";
}

#endif // BOOSTC_NN_MSE
