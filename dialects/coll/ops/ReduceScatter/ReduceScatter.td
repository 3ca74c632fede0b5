#ifndef BOOSTC_COLL_REDUCE_SCATTER
#define BOOSTC_COLL_REDUCE_SCATTER

include "dialects/coll/CollBase.td"

def Coll_ReduceScatterOp : Coll_Op<"reduce_scatter", "ReduceScatter"> {
  let summary = "sums over ranks; each rank gets its slice of the sum";
  let description = [{
    `r_i[e] = sum over the ranks of the group of x_i[e]` for the elements e of the rank's own
    [slice](#coll-dialect), and `r_i[e] = x_i[e]`, what the rank brought, for all others. The
    sums have the bits of `coll.all_reduce`, and what is sent is half of its bytes.

    Constraints:
    * (reduce_scatter_c1) it exchanges at least one tensor, of static shape.
    * (reduce_scatter_c2) it serves no more parameters than it has operands, and they exist.
    * (reduce_scatter_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %s = coll.reduce_scatter index(0) over all parameters [@fc.weight] (%g : tensor<4x3xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_REDUCE_SCATTER
