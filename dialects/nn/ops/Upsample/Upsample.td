#ifndef BOOSTC_NN_UPSAMPLE
#define BOOSTC_NN_UPSAMPLE

include "dialects/nn/NnBase.td"

def Nn_UpsampleOp : Nn_MovementOp<"upsample", [InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "repeats each pixel";
  let description = [{
    `y[n, c, i, j] = x[n, c, i / factors[0], j / factors[1]]`, rounded down: the nearest
    pixel. Shapes: x `[N, C, H, W]`, y `[N, C, H * factors[0], W * factors[1]]`. Backward:
    `nn.upsample_grad`.

    Constraints:
    * (upsample_c1) x has four dimensions, and factors are two positive numbers.

    Example:
    ```mlir
    %y = nn.upsample %x factors [2, 2] : tensor<32x6x14x14xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$factors);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `factors` $factors attr-dict `:` type($input)";
}

def Nn_UpsampleGradOp : Nn_Op<"upsample_grad", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of upsample's input";
  let description = [{
    `dx[n, c, u, v] = sum of dy[n, c, i, j]` over the pixels (i, j) that repeat (u, v).

    Constraints:
    * (upsample_grad_c1) dy has the shape that upsample gives the result's shape.

    Example:
    ```mlir
    %dx = nn.upsample_grad %dy factors [2, 2]
            : tensor<32x6x28x28xf32> -> tensor<32x6x14x14xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, DenseI64ArrayAttr:$factors);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `factors` $factors attr-dict `:` type($gradient) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_UPSAMPLE
