#ifndef BOOSTC_COLL_BROADCAST
#define BOOSTC_COLL_BROADCAST

include "dialects/coll/CollBase.td"

def Coll_BroadcastOp : Coll_Op<"broadcast", "Broadcast",
    (ins I32Attr:$root), "`root` `(` $root `)`",
    "form.root = static_cast<int32_t>(getRoot());"> {
  let summary = "what one rank has";
  let description = [{
    `r_i = x_i of rank (root mod n)` of the group's n ranks, for each operand by itself;
    every rank of the group gets the same bits. A root of -1 is the last rank.

    Constraints:
    * (broadcast_c1) it exchanges at least one tensor, of static shape.
    * (broadcast_c2) it serves no more parameters than it has operands, and they exist.
    * (broadcast_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %r = coll.broadcast index(0) over all parameters [] root(0) (%x : tensor<4x3xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_BROADCAST
