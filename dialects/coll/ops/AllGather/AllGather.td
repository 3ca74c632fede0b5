#ifndef BOOSTC_COLL_ALL_GATHER
#define BOOSTC_COLL_ALL_GATHER

include "dialects/coll/CollBase.td"

def Coll_AllGatherOp : Coll_Op<"all_gather", "AllGather"> {
  let summary = "of each slice, what its rank has";
  let description = [{
    `r_i[e] = x_i[e] of the rank in whose` [slice](#coll-dialect) `e is`. Every rank of the
    group gets the same bits, and what a rank brings outside its own slice does not matter.

    Constraints:
    * (all_gather_c1) it exchanges at least one tensor, of static shape.
    * (all_gather_c2) it serves no more parameters than it has operands, and they exist.
    * (all_gather_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %s = coll.reduce_scatter index(0) over all parameters [@fc.weight] (%g : tensor<4x3xf32>)
    %r = coll.all_gather index(1) over all parameters [@fc.weight] (%s : tensor<4x3xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_ALL_GATHER
