#ifndef BOOSTC_NN_LAYER_NORM
#define BOOSTC_NN_LAYER_NORM

include "dialects/nn/NnBase.td"

def Nn_LayerNormOp : Nn_Op<"layer_norm", [Nn_Normalizes,
    AllTypesMatch<["input", "result"]>, AllTypesMatch<["gamma", "beta"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "layer normalisation";
  let description = [{
    Over the trailing dimensions that `gamma` has: with mean m and variance v (divided by
    the number of elements) of a row, `y = gamma * (x - m) / sqrt(v + epsilon) + beta`.
    Source: Ba et al., "Layer Normalization", 2016. Backward: see
    `nn.layer_norm_grad_input` and `nn.layer_norm_grad_parameters`.

    Constraints:
    * (layer_norm_c1) `gamma` has the shape of trailing dimensions of `x`, without the
      batch.

    Example:
    ```mlir
    %y = nn.layer_norm %x, %gamma, %beta epsilon 1.0e-5
        : tensor<32x6x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$gamma, Nn_Tensor:$beta,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $gamma `,` $beta `epsilon` $epsilon attr-dict `:` type($input) `,`
    type($gamma)
  }];
  let hasVerifier = 1;
}

def Nn_LayerNormGradInputOp : Nn_Op<"layer_norm_grad_input", [
    AllTypesMatch<["gradient", "input", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of layer_norm's input";
  let description = [{
    With `z = (x - m) / sqrt(v + epsilon)` and `g = gamma * dy`, means over a row:
    `dx = (g - mean(g) - z * mean(g * z)) / sqrt(v + epsilon)`.

    Constraints:
    * (layer_norm_grad_input_c1) as layer_norm_c1.

    Example:
    ```mlir
    %dx = nn.layer_norm_grad_input %dy, %x, %gamma epsilon 1.0e-5
        : tensor<32x6x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Tensor:$gamma,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $gamma `epsilon` $epsilon attr-dict `:` type($input) `,`
    type($gamma)
  }];
  let hasVerifier = 1;
}

def Nn_LayerNormGradParametersOp : Nn_Op<"layer_norm_grad_parameters", [
    AllTypesMatch<["gradient", "input"]>, AllTypesMatch<["gamma", "beta"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<PreconditionableOpInterface>,
    BatchReducingOpInterface]> {
  let summary = "gradients of layer_norm's gamma and beta";
  let description = [{
    `dgamma = sum over rows of dy * z`, `dbeta = sum over rows of dy`, the rows of the
    samples below `valid` only; z as in `nn.layer_norm_grad_input`.

    Constraints:
    * (layer_norm_grad_parameters_c1) as layer_norm_c1.

    Example:
    ```mlir
    %dgamma, %dbeta = nn.layer_norm_grad_parameters %dy, %x, %valid epsilon 1.0e-5
        : tensor<32x6x8xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Valid:$valid,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$gamma, Nn_Tensor:$beta);
  let assemblyFormat = [{
    $gradient `,` $input `,` $valid `epsilon` $epsilon attr-dict `:` type($input) `->`
    type($gamma)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_LAYER_NORM
