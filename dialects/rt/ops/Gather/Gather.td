#ifndef BOOSTC_RT_GATHER
#define BOOSTC_RT_GATHER

include "dialects/rt/RtBase.td"

class Rt_RowsOp<string mnemonic> : Rt_Op<mnemonic, [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface,
                              ["getFlops", "getBytesRead", "getBytesWritten"]>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let arguments = (ins TensorOrMemRef<[F32]>:$source,
                       TensorOrMemRef<[I32]>:$index,
                       TensorOrMemRef<[F32]>:$destination);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `,` $index `:` type($source) `,` type($index) `)`
    `outs` `(` $destination `:` type($destination) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationMutable(); }
  }];
}

def Rt_GatherOp : Rt_RowsOp<"gather"> {
  let summary = "rows of a table";
  let description = [{
    `destination[i..., d] = source[index[i...], d]`, written over whatever the
    destination held.

    Constraints:
    * (rt_gather_c1) `source` is `[rows, d]` and `destination` is `[i..., d]` for an
      `index` of shape `[i...]`; shapes are static.
    * (rt_gather_c2) all operands are tensors, with the destination's type as result, or
      all are memrefs.

    Example:
    ```mlir
    %y = rt.gather ins(%table, %i : tensor<1000x64xf32>, tensor<32x16xi32>)
           outs(%e : tensor<32x16x64xf32>) -> tensor<32x16x64xf32>
    ```
  }];
}

def Rt_ScatterAddOp : Rt_RowsOp<"scatter_add"> {
  let summary = "sums of rows by their number in a table";
  let description = [{
    `destination[v, d] = sum of source[i..., d] over the positions with index[i...] = v`, in
    the order of the positions, written over whatever the destination held. Threads share
    the columns, so no number of them changes a bit.

    Constraints:
    * (rt_scatter_add_c1) `destination` is `[rows, d]` and `source` is `[i..., d]` for an
      `index` of shape `[i...]`; shapes are static.
    * (rt_scatter_add_c2) all operands are tensors, with the destination's type as
      result, or all are memrefs.

    Example:
    ```mlir
    %dt = rt.scatter_add ins(%dy, %i : tensor<32x16x64xf32>, tensor<32x16xi32>)
            outs(%e : tensor<1000x64xf32>) -> tensor<1000x64xf32>
    ```
  }];
}

#endif // BOOSTC_RT_GATHER
