#ifndef BOOSTC_RT_COLLECTIVE
#define BOOSTC_RT_COLLECTIVE

include "dialects/rt/RtBase.td"

def Rt_CollectiveOp : Rt_Op<"collective", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["evaluateOnRanks"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "what ranks do together, by the runtime";
  let description = [{
    Executes a collective of the step in place on its operands: BoostEnv::collective in
    the ABI, and one row of the program's table of collectives, the one of its number. On
    tensors the results are the new values; on memrefs there are none. Of one rank the
    operands stay as they are. What the kinds do, the ops of [`coll`](coll.md) of the same
    names say.

    Operands with the same number in `groups` are combined as one vector, where the kind
    makes a difference of it. `root` is that of a broadcast.

    Constraints:
    * (rt_collective_c1) it exchanges at least one value, all tensors, with their types
      as results, or all memrefs; shapes are static.
    * (rt_collective_c2) it serves no more parameters than it has operands.
    * (rt_collective_c3) `groups` has one number for each operand, of 0 or more.
    * (rt_collective_c4) adasum, and it alone, is over `inter_group`.
    * (rt_collective_c5) kinds other than broadcast have no `root`.

    Example:
    ```mlir
    %r:2 = rt.collective all_reduce index(0) over all parameters [@w] groups [0, 1]
             outs(%g, %loss : tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Rt_CollectiveKind:$kind, I32Attr:$index, Rt_RankGroup:$ranks,
                       FlatSymbolRefArrayAttr:$parameters, DenseI32ArrayAttr:$groups,
                       DefaultValuedAttr<I32Attr, "0">:$root,
                       Variadic<TensorOrMemRef<[F32, I64]>>:$operands);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind `index` `(` $index `)` `over` $ranks `parameters` $parameters `groups` $groups
    (`root` `(` $root^ `)`)? `outs` `(` ($operands^ `:` type($operands))? `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOperandsMutable(); }
  }];
}

#endif // BOOSTC_RT_COLLECTIVE
