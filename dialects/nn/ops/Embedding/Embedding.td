#ifndef BOOSTC_NN_EMBEDDING
#define BOOSTC_NN_EMBEDDING

include "dialects/nn/NnBase.td"

def Nn_EmbeddingOp : Nn_Op<"embedding", [Nn_ComputesFloat32,
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "a row of a table for each integer";
  let description = [{
    `y[n, ..., d] = table[index[n, ...], d]`. Indices lie in `[0, rows)`; the loaders
    check that. Backward: `nn.embedding_grad`.

    Constraints:
    * (embedding_c1) `index` is `[batch, ...]`, `table` is a matrix.

    Example:
    ```mlir
    %y = nn.embedding %index, %table : tensor<32x16xi32>, tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins Nn_Labels:$index, Nn_Tensor:$table);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$index `,` $table attr-dict `:` type($index) `,` type($table)";
}

def Nn_EmbeddingGradOp : Nn_Op<"embedding_grad", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<PreconditionableOpInterface, ["buildLookupCounts"]>,
    BatchReducingOpInterface]> {
  let summary = "gradient of embedding's table";
  let description = [{
    `dtable[v, d] = sum of dy[n, ..., d] over the positions with index[n, ...] = v and
    n < valid`, added in the order of the positions, whatever the number of threads.

    Constraints:
    * (embedding_grad_c1) `dy` is `[batch, ..., d]` for an index `[batch, ...]` and the
      result `[rows, d]`.

    Example:
    ```mlir
    %dt = nn.embedding_grad %dy, %index, %valid
        : tensor<32x16x64xf32>, tensor<32x16xi32> -> tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Labels:$index, Nn_Valid:$valid);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $gradient `,` $index `,` $valid attr-dict `:` type($gradient) `,` type($index) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_EMBEDDING
