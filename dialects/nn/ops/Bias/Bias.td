#ifndef BOOSTC_NN_BIAS
#define BOOSTC_NN_BIAS

include "dialects/nn/NnBase.td"

def Nn_BiasOp : Nn_Op<"bias", [Boost_Precision<"Other", 1>,
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "adds a vector along a dimension";
  let description = [{
    `y[n, ..., c, ...] = x[n, ..., c, ...] + b[c]` with c the index of dimension `axis`.
    Backward: `dx = dy`, `db` is `nn.bias_grad`.

    Constraints:
    * (bias_c1) `axis` is a dimension after the batch.
    * (bias_c2) `b` has as many elements as `x` has along `axis`.

    Example:
    ```mlir
    %y = nn.bias %x, %b axis 1 : tensor<32x512xf32>, tensor<512xf32>
    %u = nn.bias %z, %c axis 2 : tensor<32x128x256xf32>, tensor<256xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, TensorRankOf<[F32], [1]>:$bias,
                       I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $bias `axis` $axis attr-dict `:` type($input) `,` type($bias)
  }];
}

def Nn_BiasGradOp : Nn_Op<"bias_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of a bias";
  let description = [{
    `db[c] = sum of dy[n, ..., c, ...]` over n < valid and all dimensions but `axis`.

    Constraints:
    * (bias_grad_c1) `axis` is a dimension after the batch.

    Canonical form: a pooling without padding passes every gradient on to pixels of its
    own plane, so the sum over channels may be taken before, over fewer elements.

    Example:
    ```mlir
    %db = nn.bias_grad %dy, %valid axis 1 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Valid:$valid,
                       I64Attr:$axis);
  let results = (outs TensorRankOf<[F32], [1]>:$result);
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = [{
    $gradient `,` $valid `axis` $axis attr-dict `:` type($gradient)
  }];
}

#endif // BOOSTC_NN_BIAS
