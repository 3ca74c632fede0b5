#ifndef BOOSTC_COLL_OWN_SLICE
#define BOOSTC_COLL_OWN_SLICE

include "dialects/coll/CollBase.td"

def Coll_OwnSliceOp : Coll_Op<"own_slice", "OwnSlice"> {
  let summary = "of each operand, the rank's own slice";
  let description = [{
    `r_i[e] = x_i[e]` for the elements e of the rank's own [slice](#coll-dialect), else 0. Ranks
    send nothing. Of ones it says which rows are a rank's own.

    Constraints:
    * (own_slice_c1) it exchanges at least one tensor, of static shape.
    * (own_slice_c2) it serves no more parameters than it has operands, and they exist.
    * (own_slice_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %r = coll.own_slice index(0) over all parameters [] (%ones : tensor<7xi64>)
    ```
  }];
}

#endif // BOOSTC_COLL_OWN_SLICE
