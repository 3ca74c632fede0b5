#ifndef BOOSTC_NN_L2_NORMALIZE
#define BOOSTC_NN_L2_NORMALIZE

include "dialects/nn/NnBase.td"

def Nn_L2NormalizeOp : Nn_Op<"l2_normalize", [Nn_ComputesFloat32,
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "vectors along the last dimension, scaled to length 1";
  let description = [{
    `y[..., i] = x[..., i] / sqrt(max(sum over j of x[..., j]^2, epsilon))`. A vector whose
    squared length is below `epsilon` stays shorter than 1, and a zero stays zero. Source:
    MindSpore's `L2Normalize`. (PyTorch's `normalize` bounds the length itself:
    `eps = sqrt(epsilon)` there is the same function.) Backward: see `nn.l2_normalize_grad`.

    Constraints:
    * (l2_normalize_c1) `x` has rank 2 or more, and `epsilon` is above 0.

    Example:
    ```mlir
    %y = nn.l2_normalize %x epsilon 1.0e-4 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `epsilon` $epsilon attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nn_L2NormalizeGradOp : Nn_Op<"l2_normalize_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of l2_normalize";
  let description = [{
    With `s = sum over j of x[j]^2` and `r = 1 / sqrt(max(s, epsilon))` of a vector,

    ```
    dx[i] = r * (dy[i] - x[i] * r^2 * sum over j of dy[j] * x[j])    where s >= epsilon
    dx[i] = r * dy[i]                                                where s < epsilon
    ```

    Constraints:
    * (l2_normalize_grad_c1) as l2_normalize_c1.

    Example:
    ```mlir
    %dx = nn.l2_normalize_grad %dy, %x epsilon 1.0e-4 : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $input `epsilon` $epsilon attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_L2_NORMALIZE
