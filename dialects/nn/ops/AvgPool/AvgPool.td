#ifndef BOOSTC_NN_AVG_POOL
#define BOOSTC_NN_AVG_POOL

include "dialects/nn/NnBase.td"

def Nn_AvgPoolOp : Nn_Op<"avg_pool", [Nn_IsPool,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "mean over windows of the input";
  let description = [{
    `y[n, c, i, j] = sum over k, l of x[n, c, i * strides[0] + k - padding[0],
    j * strides[1] + l - padding[1]] / (KH * KW)`, x being zero outside the input. Padding
    is top, left, bottom, right, each smaller than the kernel. `avg_pool` and
    `global_avg_pool` (kernel = height and width, result without its two dimensions of 1) of the model
    file are both this op.

    Constraints:
    * (avg_pool_c1) kernel and strides are two positive numbers, padding four from 0 to
      below the kernel.
    * (avg_pool_c2) the result has the shape that follows.

    Example:
    ```mlir
    %y = nn.avg_pool %x kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
           : tensor<32x6x28x28xf32> -> tensor<32x6x14x14xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `kernel` $kernel `strides` $strides `padding` $padding attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_AvgPoolGradOp : Nn_Op<"avg_pool_grad", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of avg_pool's input";
  let description = [{
    `dx[n, c, u, v] = sum of dy[n, c, i, j] / (KH * KW)` over the windows that see pixel
    (u, v).

    Constraints:
    * (avg_pool_grad_c1) dy has the shape that avg_pool gives the result's shape.

    Example:
    ```mlir
    %dx = nn.avg_pool_grad %dy kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
            : tensor<32x6x14x14xf32> -> tensor<32x6x28x28xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `kernel` $kernel `strides` $strides `padding` $padding attr-dict `:`
    type($gradient) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_AVG_POOL
