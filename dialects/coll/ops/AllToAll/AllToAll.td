#ifndef BOOSTC_COLL_ALL_TO_ALL
#define BOOSTC_COLL_ALL_TO_ALL

include "dialects/coll/CollBase.td"

def Coll_AllToAllOp : Coll_Op<"all_to_all", "AllToAll"> {
  let summary = "each rank gives each other rank a block";
  let description = [{
    With n ranks, rank r, and n blocks of B = N / n elements, rounded down, in each operand
    of N elements: `r_i[k B + j] = x_i[r B + j] of rank k` for k below n and j below B. The
    N mod n elements after the blocks stay as they are. Blocks are equal, unlike slices,
    because what rank r sends to k and k to r is swapped.

    Constraints:
    * (all_to_all_c1) it exchanges at least one tensor, of static shape.
    * (all_to_all_c2) it serves no more parameters than it has operands, and they exist.
    * (all_to_all_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %r = coll.all_to_all index(0) over all parameters [] (%x : tensor<4x3xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_ALL_TO_ALL
