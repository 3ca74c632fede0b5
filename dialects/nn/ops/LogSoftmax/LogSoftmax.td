#ifndef BOOSTC_NN_LOG_SOFTMAX
#define BOOSTC_NN_LOG_SOFTMAX

include "dialects/nn/SoftmaxBase.td"

def Nn_LogSoftmaxOp : Nn_SoftmaxLikeOp<"log_softmax", "LogSoftmaxGradOp"> {
  let summary = "log_softmax along a dimension";
  let description = [{
    `y[i] = x[i] - log(sum over j of exp(x[j]))`, i and j along
    `axis`. The largest element is subtracted before `exp`, so large ones do not overflow.
    Backward: see `nn.log_softmax_grad`.

    Constraints:
    * (log_softmax_c1) `axis` is a dimension after the batch.

    Example:
    ```mlir
    %y = nn.log_softmax %x axis 1 : tensor<32x10xf32>
    ```
  }];
}

def Nn_LogSoftmaxGradOp : Nn_SoftmaxLikeGradOp<"log_softmax_grad"> {
  let summary = "gradient of log_softmax";
  let description = [{
    `dx[i] = dy[i] - exp(y[i]) * sum over j of dy[j]`, from the result.

    Constraints:
    * (log_softmax_grad_c1) `axis` is a dimension after the batch.

    Example:
    ```mlir
    %dx = nn.log_softmax_grad %dy, %y axis 1 : tensor<32x10xf32>
    ```
  }];
}

#endif // BOOSTC_NN_LOG_SOFTMAX
