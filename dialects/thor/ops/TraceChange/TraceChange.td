#ifndef BOOSTC_THOR_TRACE_CHANGE
#define BOOSTC_THOR_TRACE_CHANGE

include "dialects/thor/ThorBase.td"

def Thor_TraceChangeOp : Thor_Computation<"trace_change"> {
  let summary = "whether two factors differ from those of before by their traces";
  let description = [{
    `trace` is that of the Kronecker product of both damped factors,
    `(trace(a) / n_a + size_a s_a) (trace(g) / n_g + size_g s_g)`, with n the numbers of rows as
    `thor.damped_inverse` counts them, `rows_a` and `rows_g` of a sample, and with
    `s = sqrt(damping / positions)` for `size` rows of a factor. It changed by
    `c = |trace - before| / before`.

    `kept` is 1 where `c <= above`, `settled` is 1 where `c < below`; else they are 0, also where
    `c` is not a number, as where there was no trace `before`, 0. Source: Chen et al., AAAI 2021:
    inverses are computed anew above the one limit, and never again below the other.

    Constraints:
    * (trace_change_c1) blocks are square, numbers of rows and sizes positive; means have no scale.
    * (trace_change_c2) `above` is positive, `below` is at least 0 and at most `above`.

    Example:
    ```mlir
    %t, %kept, %settled = thor.trace_change %a, %g by %count rows 1, 1 positions 64
        sizes 144, 16 damping %x, %y since %before above 1.000000e-01 below 1.000000e-03
        : tensor<2x128x128xf32>, tensor<1x16x16xf32>
    ```
  }];
  let arguments = (ins Thor_Blocks:$a, Thor_Blocks:$g, Thor_Count:$count,
                       Optional<Thor_Number>:$scale, Thor_Number:$damping_a,
                       Thor_Number:$damping_g, Thor_Number:$before, I64Attr:$rows_a,
                       I64Attr:$rows_g, I64Attr:$positions, I64Attr:$size_a, I64Attr:$size_g,
                       F64Attr:$above, F64Attr:$below, UnitAttr:$mean);
  let results = (outs Thor_Number:$trace, Thor_Flag:$kept, Thor_Flag:$settled);
  let assemblyFormat = [{
    $a `,` $g `by` $count (`mean` $mean^)? `rows` $rows_a `,` $rows_g `positions` $positions
    `sizes` $size_a `,` $size_g (`scale` $scale^)? `damping` $damping_a `,` $damping_g
    `since` $before `above` $above `below` $below attr-dict `:` type($a) `,` type($g)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_TRACE_CHANGE
