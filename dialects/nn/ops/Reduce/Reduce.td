#ifndef BOOSTC_NN_REDUCE
#define BOOSTC_NN_REDUCE

include "dialects/nn/NnBase.td"

include "dialects/nn/NnEnums.td"

def Nn_ReduceOp : Nn_Op<"reduce", [
    Nn_IsPool, InferTypeOpAdaptor, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "sum, mean or largest element along dimensions";
  let description = [{
    `sum`, `mean` or `max` of the elements along `axes`, which the result no longer has.
    Backward: `dy` repeated along them, divided by their number for `mean`; for `max` see
    `nn.reduce_max_grad`.

    Constraints:
    * (reduce_c1) `axes` are distinct dimensions after the batch, in ascending order, at
      least one.

    Example:
    ```mlir
    %y = nn.reduce mean %x along [1, 2] : tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Reduction:$kind, Nn_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$kind $input `along` $axes attr-dict `:` type($input)";
}

def Nn_ReduceMaxGradOp : Nn_Op<"reduce_max_grad", [
    AllTypesMatch<["input", "result"]>, AllTypesMatch<["gradient", "output"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "gradient of reduce max";
  let description = [{
    `dx = x == y ? dy / n : 0` with the number n of elements that are the largest: ties
    share the gradient, as in PyTorch's `amax`.

    Constraints:
    * (reduce_max_grad_c1) `dy` and `y` have the shape of the reduction of `x`.

    Example:
    ```mlir
    %dx = nn.reduce_max_grad %dy, %x, %y along [1]
        : tensor<32x8xf32>, tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Tensor:$output,
                       DenseI64ArrayAttr:$axes);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $output `along` $axes attr-dict `:` type($gradient) `,`
    type($input)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_REDUCE
