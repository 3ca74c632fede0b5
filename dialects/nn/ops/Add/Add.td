#ifndef BOOSTC_NN_ADD
#define BOOSTC_NN_ADD

include "dialects/nn/NnBase.td"

def Nn_AddOp : Nn_ElementwiseOp<"add", [Nn_IsAdd,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "elementwise sum of two tensors";
  let description = [{
    `y = a + b`, both of the same shape. Backward: `da = dy`, `db = dy`.

    Example:
    ```mlir
    %y = nn.add %a, %b : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_ADD
