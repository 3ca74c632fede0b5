#ifndef BOOSTC_NN_BINARY_CROSS_ENTROPY
#define BOOSTC_NN_BINARY_CROSS_ENTROPY

include "dialects/nn/NnBase.td"

def Nn_BinaryCrossEntropyOp : Nn_PointwiseLossOp<"binary_cross_entropy"> {
  let summary = "cross-entropy of independent yes-no outputs, given as logits";
  let description = [{
    The pair (sum, count) over the first `valid` samples: `sum` adds each sample's mean
    over its elements of `max(p, 0) - p * t + log(1 + exp(-|p|))`, `count = valid`. The
    outputs are logits: the formula is `-t * log(s) - (1 - t) * log(1 - s)` with
    `s = 1 / (1 + exp(-p))`, written so that nothing overflows. No gradient flows to the
    targets. `weights` w are factors: of each sample `w[n]` times its mean. Backward: `dp = dsum * (s - t) / elements of a sample`.

    Constraints:
    * (binary_cross_entropy_c1) outputs and targets have one shape `[batch, ...]`, weights `[batch]`.

    Example:
    ```mlir
    %sum, %count = nn.binary_cross_entropy %outputs, %targets, %valid
        : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let layer =
      "Cross-entropy of the sigmoid of each output with t, `-t * log(s) - (1 - t) * " #
      "log(1 - s)`, `s = 1 / (1 + exp(-y))`, averaged over outputs and samples; t is " #
      "the target, or 1 for the labelled class, else 0. The last layer gives logits.";
}

#endif // BOOSTC_NN_BINARY_CROSS_ENTROPY
