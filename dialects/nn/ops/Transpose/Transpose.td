#ifndef BOOSTC_NN_TRANSPOSE
#define BOOSTC_NN_TRANSPOSE

include "dialects/nn/NnBase.td"

def Nn_TransposeOp : Nn_MovementOp<"transpose", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "dimensions in another order";
  let description = [{
    Dimension k of the result is dimension `permutation[k]` of the input. Backward: the
    inverse permutation of `dy`.

    Constraints:
    * (transpose_c1) `permutation` holds every dimension of the input once.
    * (transpose_c2) dimension 0, the batch, stays.

    Example:
    ```mlir
    %y = nn.transpose %x [0, 2, 1] : tensor<32x4x6xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input)";
}

#endif // BOOSTC_NN_TRANSPOSE
