#ifndef BOOSTC_NN_SLICE
#define BOOSTC_NN_SLICE

include "dialects/nn/NnBase.td"

def Nn_SliceOp : Nn_MovementOp<"slice", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "a slice along one dimension";
  let description = [{
    The elements `start` to `start + size - 1` along `axis`. Backward: see
    `nn.slice_grad`.

    Constraints:
    * (slice_c1) `axis` is a dimension after the batch.
    * (slice_c2) the slice is not empty and inside the input.

    Example:
    ```mlir
    %y = nn.slice %x axis 1 from 2 size 3 : tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis, I64Attr:$start, I64Attr:$size);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `axis` $axis `from` $start `size` $size attr-dict `:` type($input)
  }];
}

def Nn_SliceGradOp : Nn_MovementOp<"slice_grad"> {
  let summary = "gradient of slice";
  let description = [{
    `dy` at its position along `axis`, zeros around it.

    Constraints:
    * (slice_grad_c1) the shapes are equal except along `axis`, where `dy` is inside.

    Example:
    ```mlir
    %dx = nn.slice_grad %dy axis 1 from 2 : tensor<32x3x8xf32> -> tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, I64Attr:$axis, I64Attr:$start);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `axis` $axis `from` $start attr-dict `:` type($gradient) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_SLICE
