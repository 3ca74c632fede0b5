#ifndef BOOSTC_NN_SQUARE
#define BOOSTC_NN_SQUARE

include "dialects/nn/NnBase.td"

def Nn_SquareOp : Nn_Op<"square", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "elementwise square";
  let description = [{
    `y = x * x`. Backward: `dx = 2 * x * dy`.

    Example:
    ```mlir
    %y = nn.square %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Nn_SquareGradOp : Nn_Op<"square_grad", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of square";
  let description = [{
    `dx = 2 * x * dy`.

    Example:
    ```mlir
    %dx = nn.square_grad %dy, %x : tensor<32x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$gradient `,` $input attr-dict `:` type($result)";
}

#endif // BOOSTC_NN_SQUARE
