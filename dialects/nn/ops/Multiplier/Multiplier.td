#ifndef BOOSTC_NN_MULTIPLIER
#define BOOSTC_NN_MULTIPLIER

include "dialects/nn/NnBase.td"

def Nn_MultiplierOp : Nn_Op<"multiplier", [Nn_ComputesFloat32,
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "multiplies by a number that is trained";
  let description = [{
    `y = m[0] * x`. Backward: `dx = m[0] * dy`, and `dm` is `nn.multiplier_grad`.

    Constraints:
    * (multiplier_c1) `m` has one element.

    Example:
    ```mlir
    %y = nn.multiplier %x, %m : tensor<32x10xf32>, tensor<1xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, TensorRankOf<[F32], [1]>:$multiplier);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $multiplier attr-dict `:` type($input) `,` type($multiplier)
  }];
  let hasVerifier = 1;
}

def Nn_MultiplierGradOp : Nn_Op<"multiplier_grad", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of a multiplier";
  let description = [{
    `dm[0] = sum of dy[n, ...] * x[n, ...]` over n < valid and all other dimensions.

    Constraints:
    * (multiplier_grad_c1) `dy` and `x` have one shape of rank 2 or more.

    Example:
    ```mlir
    %dm = nn.multiplier_grad %dy, %x, %valid : tensor<32x10xf32>, tensor<32x10xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Valid:$valid);
  let results = (outs TensorRankOf<[F32], [1]>:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $valid attr-dict `:` type($gradient) `,` type($input)
  }];
}

#endif // BOOSTC_NN_MULTIPLIER
