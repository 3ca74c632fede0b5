#ifndef BOOSTC_NN_SUB
#define BOOSTC_NN_SUB

include "dialects/nn/NnBase.td"

def Nn_SubOp : Nn_ElementwiseOp<"sub", [
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "elementwise difference";
  let description = [{
    `y = a - b`. Backward: `da = dy`, `db = -dy`.

    Example:
    ```mlir
    %y = nn.sub %a, %b : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SUB
