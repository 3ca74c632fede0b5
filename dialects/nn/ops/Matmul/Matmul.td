#ifndef BOOSTC_NN_MATMUL
#define BOOSTC_NN_MATMUL

include "dialects/nn/NnBase.td"

def Nn_MatmulOp : Nn_Op<"matmul", [Nn_ComputesLow<2>,
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "matrix multiplication, one for each sample";
  let description = [{
    `y[..., i, j] = sum over k of a[..., i, k] * b[..., k, j]` over the last two
    dimensions; those before are the same in all three. `transpose_a` reads
    `a[..., k, i]`, `transpose_b` reads `b[..., j, k]`. Backward: two matmuls of `dy` with
    the other operand.

    Constraints:
    * (matmul_c1) both operands have the same rank, 3 or more.
    * (matmul_c2) dimensions before the last two are equal.
    * (matmul_c3) the summed dimensions are equal.

    Example:
    ```mlir
    %y = nn.matmul %a, %b transpose_b : tensor<32x4x8xf32>, tensor<32x6x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? attr-dict `:`
    type($a) `,` type($b)
  }];
}

#endif // BOOSTC_NN_MATMUL
