#ifndef BOOSTC_THOR_DAMPED_INVERSE
#define BOOSTC_THOR_DAMPED_INVERSE

include "dialects/thor/ThorBase.td"

def Thor_DampedInverseOp : Thor_Computation<"damped_inverse", [
    AllTypesMatch<["factor", "result"]>, AttrSizedOperandSegments,
    OptionalTypesMatchWith<"there is a flag for each block", "factor", "flags",
        "::mlir::RankedTensorType::get({::llvm::cast<::mlir::ShapedType>($_self).getDimSize(0)}, "
        "::mlir::IntegerType::get($_self.getContext(), 64))">,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "inverses of the damped blocks of a factor";
  let description = [{
    `result[b] = (factor[b] / n + sqrt(damping / positions) * I)^-1` for each block, where n is
    `count * positions * rows`, times the square of `scale` where it is given: the number of
    rows that were added up, of gradients that were scaled. A sample has `rows` rows, or
    `positions` windows. `mean`, the factor is that of the rows already, and n is 1.

    A block that elimination in single precision cannot invert is tried with 10, 100 and 1000
    times the damping, see `rt.damped_inverse`. `failed` is the number of blocks that have no
    inverse even then; theirs are zeros. Of no rows, `count` 0, no block has one.

    With `where`, blocks are inverted whose flag is not 0, as those of a rank's own slice
    (`coll.own_slice`). Others have zeros, and do not count as failed.

    Constraints:
    * (damped_inverse_c1) blocks are square, and numbers of rows positive; a mean has no scale.
    * (damped_inverse_c2) there is a flag for each block.

    Example:
    ```mlir
    %x, %failed = thor.damped_inverse %a by %count rows 1 positions 64 damping %lambda
        : tensor<2x128x128xf32>
    %y, %failed = thor.damped_inverse %g by %count rows 1 positions 64 scale %s damping %lambda
        : tensor<1x16x16xf32>
    %z, %failed = thor.damped_inverse %a by %count rows 1 positions 64 damping %lambda
        where %own : tensor<2x128x128xf32>
    ```
  }];
  let arguments = (ins Thor_Blocks:$factor, Thor_Count:$count, Optional<Thor_Number>:$scale,
                       Thor_Number:$damping, Optional<TensorRankOf<[I64], [1]>>:$flags,
                       I64Attr:$rows, I64Attr:$positions, UnitAttr:$mean);
  let results = (outs Thor_Blocks:$result, Thor_Flag:$failed);
  let assemblyFormat = [{
    $factor `by` $count (`mean` $mean^)? `rows` $rows `positions` $positions
    (`scale` $scale^)? `damping` $damping (`where` $flags^)? attr-dict `:` type($factor)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_DAMPED_INVERSE
