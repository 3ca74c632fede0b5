#ifndef BOOSTC_NN_SOFTMAX
#define BOOSTC_NN_SOFTMAX

include "dialects/nn/SoftmaxBase.td"

def Nn_SoftmaxOp : Nn_SoftmaxLikeOp<"softmax", "SoftmaxGradOp"> {
  let summary = "softmax along a dimension";
  let description = [{
    `y[i] = exp(x[i]) / sum over j of exp(x[j])`, i and j along
    `axis`. The largest element is subtracted before `exp`, so large ones do not overflow.
    Backward: see `nn.softmax_grad`.

    Constraints:
    * (softmax_c1) `axis` is a dimension after the batch.

    Example:
    ```mlir
    %y = nn.softmax %x axis 1 : tensor<32x10xf32>
    ```
  }];
}

def Nn_SoftmaxGradOp : Nn_SoftmaxLikeGradOp<"softmax_grad"> {
  let summary = "gradient of softmax";
  let description = [{
    `dx[i] = y[i] * (dy[i] - sum over j of dy[j] * y[j])`, from the result.

    Constraints:
    * (softmax_grad_c1) `axis` is a dimension after the batch.

    Example:
    ```mlir
    %dx = nn.softmax_grad %dy, %y axis 1 : tensor<32x10xf32>
    ```
  }];
}

#endif // BOOSTC_NN_SOFTMAX
