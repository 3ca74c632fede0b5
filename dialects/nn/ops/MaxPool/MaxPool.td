#ifndef BOOSTC_NN_MAX_POOL
#define BOOSTC_NN_MAX_POOL

include "dialects/nn/NnBase.td"

def Nn_MaxPoolOp : Nn_Op<"max_pool", [Nn_Moves, Nn_IsPool,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "maximum over windows of the input";
  let description = [{
    `y[n, c, i, j] = max over k, l of x[n, c, i * strides[0] + k - padding[0],
    j * strides[1] + l - padding[1]]` over the taps inside the input, and `tap[n, c, i, j]`,
    the `k * KW + l` of its position: the first of equal ones, the last NaN when there is
    one. Padding is top, left, bottom, right; each side is smaller than the kernel, so
    that every window has a tap inside. (A tap in the padding is named only where all of a
    window is -inf.)

    Canonical form: a pooling of a monotonic function's result is that function of the
    pooling, which has fewer elements to compute. It is the same to the last bit: where
    the function makes different pixels equal, its own gradient decides nothing between
    them but by being zero, as relu's is.

    Constraints:
    * (max_pool_c1) kernel and strides are two positive numbers, padding four from 0 to
      below the kernel.
    * (max_pool_c2) the results have the shape that follows.

    Example:
    ```mlir
    %y, %tap = nn.max_pool %x kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
                 : tensor<32x6x28x28xf32> -> tensor<32x6x14x14xf32>, tensor<32x6x14x14xi32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_Tensor:$result, Nn_Labels:$tap);
  let assemblyFormat = [{
    $input `kernel` $kernel `strides` $strides `padding` $padding attr-dict `:`
    type($input) `->` type($result) `,` type($tap)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Nn_MaxPoolGradOp : Nn_Op<"max_pool_grad", [Nn_Moves,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of max_pool's input";
  let description = [{
    `dx[n, c, u, v] = sum of dy[n, c, i, j]` over the windows whose maximum was taken from
    pixel (u, v).

    Constraints:
    * (max_pool_grad_c1) dy and tap have the shape that max_pool gives the result's shape.

    Example:
    ```mlir
    %dx = nn.max_pool_grad %dy, %tap kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
            : tensor<32x6x14x14xf32>, tensor<32x6x14x14xi32> -> tensor<32x6x28x28xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Labels:$tap, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $tap `kernel` $kernel `strides` $strides `padding` $padding attr-dict `:`
    type($gradient) `,` type($tap) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_MAX_POOL
