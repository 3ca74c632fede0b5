#ifndef BOOSTC_COLL_SEND_RECV
#define BOOSTC_COLL_SEND_RECV

include "dialects/coll/CollBase.td"

def Coll_SendRecvOp : Coll_Op<"send_recv", "SendRecv",
    (ins I32Attr:$distance), "`distance` `(` $distance `)`",
    "form.peer = static_cast<int32_t>(getDistance());"> {
  let summary = "each rank sends to one rank and receives of one";
  let description = [{
    `r_i = x_i of rank ((r - distance) mod n)` on rank r of the group's n ranks, for each
    operand by itself: the ranks are a ring, and each sends to the one that is `distance`
    further on. With n ranks, n of distance 1 in a row are the identity.

    Sending and receiving are one op, because all ranks execute the same program: an op
    that sends and one that receives, each for some of the ranks, could not be said for a
    number of ranks that is not known, and ranks that wait for each other could not be
    told from ranks that do not.

    Constraints:
    * (send_recv_c1) it exchanges at least one tensor, of static shape.
    * (send_recv_c2) it serves no more parameters than it has operands, and they exist.
    * (send_recv_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %r = coll.send_recv index(0) over all parameters [] distance(1) (%x : tensor<4x3xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_SEND_RECV
