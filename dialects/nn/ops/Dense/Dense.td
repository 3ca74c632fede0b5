#ifndef BOOSTC_NN_DENSE
#define BOOSTC_NN_DENSE

include "dialects/nn/NnBase.td"

def Nn_DenseOp : Nn_Op<"dense", [Nn_ComputesLow<3>, Nn_IsContraction,
    Nn_Contraction, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "fully connected layer";
  let description = [{
    `y[n, ..., u] = sum over i of x[n, ..., i] * w[u, i]  (+ b[u])` over the last
    dimension, the weight stored as `[units, inputs]`. Backward, with x and dy as matrices
    of their rows: `dx = dy w`, `dw = dy^T x`, `db[u] = sum over n < valid and the
    dimensions between of dy[n, ..., u]`.

    Constraints:
    * (dense_c1) `x` has rank 2 or more, `w` is a matrix.
    * (dense_c2) inner dimensions agree: the last of `x` is `dim(w, 1)`.
    * (dense_c3) `b`, when given, has `dim(w, 0)` elements, of f32 or of the type of `w`.

    Example:
    ```mlir
    %y = nn.dense %x, %w, %b : tensor<32x784xf32>, tensor<512x784xf32>, tensor<512xf32>
    %z = nn.dense %tokens, %v : tensor<32x128x256xf32>, tensor<1024x256xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$weight,
                       Optional<Nn_Bias>:$bias);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict `:`
    type($input) `,` type($weight) (`,` type($bias)^)?
  }];
}

def Nn_DenseGradInputOp : Nn_Op<"dense_grad_input", [
    Nn_Contraction, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "gradient of a dense layer's input";
  let description = [{
    `dx[n, ..., i] = sum over u of dy[n, ..., u] * w[u, i]`.

    Constraints:
    * (dense_grad_input_c1) `dy` has rank 2 or more, `w` is a matrix, and the last
      dimension of `dy` is `dim(w, 0)`.

    Example:
    ```mlir
    %dx = nn.dense_grad_input %dy, %w : tensor<32x512xf32>, tensor<512x784xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$weight);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$gradient `,` $weight attr-dict `:` type($gradient) `,` type($weight)";
}

def Nn_DenseGradWeightOp : Nn_Op<"dense_grad_weight", [
    Nn_Contraction, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>,
    DeclareOpInterfaceMethods<PreconditionableOpInterface>]> {
  let summary = "gradient of a dense layer's weight";
  let description = [{
    `dw[u, i] = sum over n and the dimensions between of dy[n, ..., u] * x[n, ..., i]`,
    over the whole padded batch. It is exact without knowing how many samples are real: the
    loss's backward makes the rows of `dy` that pad the batch zero, padded inputs are zeros,
    so those rows add zeros.

    Constraints:
    * (dense_grad_weight_c1) `dy` and `x` have rank 2 or more and the same dimensions but
      for the last.

    Example:
    ```mlir
    %dw = nn.dense_grad_weight %dy, %x : tensor<32x512xf32>, tensor<32x784xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$gradient `,` $input attr-dict `:` type($gradient) `,` type($input)";
}

#endif // BOOSTC_NN_DENSE
