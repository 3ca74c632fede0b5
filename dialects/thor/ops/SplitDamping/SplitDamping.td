#ifndef BOOSTC_THOR_SPLIT_DAMPING
#define BOOSTC_THOR_SPLIT_DAMPING

include "dialects/thor/ThorBase.td"

def Thor_SplitDampingOp : Thor_Computation<"split_damping"> {
  let summary = "damping of two factors by their traces";
  let description = [{
    `damping * r` for `a` and `damping / r` for `g`, where
    `r = ratio * scale^2 * trace(a) / trace(g)`, or 1 where that is not a positive number. With
    `ratio` the rows of g over those of a, times what makes the numbers of rows of both sums
    equal, r is the ratio of the means of the diagonals; `scale` is that of the gradients that
    `g` is of. `thor.damped_inverse` adds the root of a damping, so the product of what is added
    to both factors stays. Source: Martens and Grosse, ICML 2015, section 6.3.

    Constraints:
    * (split_damping_c1) blocks are square and the ratio is positive.

    Example:
    ```mlir
    %x, %y = thor.split_damping %a, %g ratio 5.000000e-01 damping %lambda
        : tensor<2x128x128xf32>, tensor<1x16x16xf32>
    ```
  }];
  let arguments = (ins Thor_Blocks:$a, Thor_Blocks:$g, Optional<Thor_Number>:$scale,
                       Thor_Number:$damping, F64Attr:$ratio);
  let results = (outs Thor_Number:$damping_a, Thor_Number:$damping_g);
  let assemblyFormat = [{
    $a `,` $g `ratio` $ratio (`scale` $scale^)? `damping` $damping attr-dict
    `:` type($a) `,` type($g)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_SPLIT_DAMPING
