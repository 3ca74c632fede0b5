#ifndef BOOSTC_NN_CONCAT
#define BOOSTC_NN_CONCAT

include "dialects/nn/NnBase.td"

def Nn_ConcatOp : Nn_MovementOp<"concat", [
    Nn_IsConcat, InferTypeOpAdaptor, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "concatenation along a dimension";
  let description = [{
    The inputs in their order, along `axis`. Backward: `nn.slice` of `dy` for each.

    Constraints:
    * (concat_c1) there is at least one input.
    * (concat_c2) `axis` is a dimension after the batch.
    * (concat_c3) the shapes are equal except along `axis`.

    Example:
    ```mlir
    %y = nn.concat %a, %b axis 1 : tensor<32x6x8xf32>, tensor<32x2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs)";
}

#endif // BOOSTC_NN_CONCAT
