#ifndef BOOSTC_NN_GROUP_NORM
#define BOOSTC_NN_GROUP_NORM

include "dialects/nn/NnBase.td"

def Nn_GroupNormOp : Nn_Op<"group_norm", [Nn_Normalizes,
    AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "group normalisation";
  let description = [{
    Dimension 1 of `x[n, c, ...]` are channels; `groups` groups of neighbouring channels
    are normalised apart, in each sample. With mean m and variance v (divided by the
    number of elements) of a sample's group, over its channels and all later dimensions,
    `y[n, c, ...] = weight[c] * (x[n, c, ...] - m) / sqrt(v + epsilon) + bias[c]`.
    Without `weight` and `bias`, these are 1 and 0. One group is layer normalisation of
    the sample with a parameter per channel; as many groups as channels are instance
    normalisation. Source: Wu and He, "Group Normalization", 2018. Backward: see
    `nn.group_norm_grad_input` and `nn.group_norm_grad_parameters`.

    Constraints:
    * (group_norm_c1) `x` has rank 2 or more.
    * (group_norm_c2) `groups` is positive and divides the number of channels.
    * (group_norm_c3) `weight` and `bias` have one element per channel.
    * (group_norm_c4) `weight` and `bias` come together.

    Example:
    ```mlir
    %y = nn.group_norm %x, %weight, %bias groups 4 epsilon 1.0e-5
        : tensor<32x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Optional<TensorRankOf<[F32], [1]>>:$weight,
                       Optional<TensorRankOf<[F32], [1]>>:$bias, I64Attr:$groups,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input (`,` $weight^ `,` $bias)? `groups` $groups `epsilon` $epsilon attr-dict `:`
    type($input) (`,` type($weight)^ `,` type($bias))?
  }];
  let hasVerifier = 1;
}

def Nn_GroupNormGradInputOp : Nn_Op<"group_norm_grad_input", [
    AllTypesMatch<["gradient", "input", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of group_norm's input";
  let description = [{
    With `z = (x - m) / sqrt(v + epsilon)` and `g = weight * dy`, means over a sample's
    group: `dx = (g - mean(g) - z * mean(g * z)) / sqrt(v + epsilon)`.

    Constraints:
    * (group_norm_grad_input_c1) as group_norm_c1 to group_norm_c3.

    Example:
    ```mlir
    %dx = nn.group_norm_grad_input %dy, %x, %weight groups 4 epsilon 1.0e-5
        : tensor<32x16x8x8xf32>, tensor<16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input,
                       Optional<TensorRankOf<[F32], [1]>>:$weight, I64Attr:$groups,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input (`,` $weight^)? `groups` $groups `epsilon` $epsilon attr-dict
    `:` type($input) (`,` type($weight)^)?
  }];
  let hasVerifier = 1;
}

def Nn_GroupNormGradParametersOp : Nn_Op<"group_norm_grad_parameters", [
    AllTypesMatch<["gradient", "input"]>, AllTypesMatch<["weight", "bias"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradients of group_norm's weight and bias";
  let description = [{
    `dweight[c] = sum of dy[n, c, ...] * z[n, c, ...]` and
    `dbias[c] = sum of dy[n, c, ...]`, over the samples `n < valid` and all later
    dimensions; z as in `nn.group_norm_grad_input`.

    Constraints:
    * (group_norm_grad_parameters_c1) as group_norm_c1 to group_norm_c3.

    Example:
    ```mlir
    %dweight, %dbias = nn.group_norm_grad_parameters %dy, %x, %valid groups 4
        epsilon 1.0e-5 : tensor<32x16x8x8xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Valid:$valid,
                       I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs TensorRankOf<[F32], [1]>:$weight, TensorRankOf<[F32], [1]>:$bias);
  let assemblyFormat = [{
    $gradient `,` $input `,` $valid `groups` $groups `epsilon` $epsilon attr-dict `:`
    type($input) `->` type($weight)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_GROUP_NORM
