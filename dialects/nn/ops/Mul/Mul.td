#ifndef BOOSTC_NN_MUL
#define BOOSTC_NN_MUL

include "dialects/nn/NnBase.td"

def Nn_MulOp : Nn_ElementwiseOp<"mul", [
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "elementwise product";
  let description = [{
    `y = a * b`. Backward: `da = dy * b`, `db = dy * a`.

    Example:
    ```mlir
    %y = nn.mul %a, %b : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_MUL
