#ifndef BOOSTC_NN_BIAS
#define BOOSTC_NN_BIAS

include "dialects/nn/NnBase.td"

def Nn_BiasOp : Nn_Op<"bias", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "adds a vector along the features";
  let description = [{
    `y[n, c, ...] = x[n, c, ...] + b[c]`. Backward: `dx = dy`,
    `db[c] = sum over n and the trailing dimensions of dy[n, c, ...]`, the samples
    `n < valid` only.

    Constraints:
    * (bias_c1) `x` has rank 2 or more.
    * (bias_c2) `b` has one element per feature: `dim(b, 0) = dim(x, 1)`.

    Example:
    ```mlir
    %y = nn.bias %x, %b : tensor<32x512xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, TensorRankOf<[F32], [1]>:$bias);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `,` $bias attr-dict `:` type($input) `,` type($bias)";
}

def Nn_BiasGradOp : Nn_Op<"bias_grad", [
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of a bias";
  let description = [{
    `db[c] = sum over n < valid and the trailing dimensions of dy[n, c, ...]`.

    Constraints:
    * (bias_grad_c1) `dy` has rank 2 or more.

    Canonical form: a pooling without padding passes every gradient on to pixels of its
    own plane, so the sum may be taken before, over fewer elements.

    Example:
    ```mlir
    %db = nn.bias_grad %dy, %valid : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Valid:$valid);
  let results = (outs TensorRankOf<[F32], [1]>:$result);
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = "$gradient `,` $valid attr-dict `:` type($gradient)";
}

#endif // BOOSTC_NN_BIAS
