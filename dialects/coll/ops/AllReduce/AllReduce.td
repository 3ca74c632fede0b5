#ifndef BOOSTC_COLL_ALL_REDUCE
#define BOOSTC_COLL_ALL_REDUCE

include "dialects/coll/CollBase.td"

def Coll_AllReduceOp : Coll_Op<"all_reduce", "AllReduce"> {
  let summary = "sums over ranks";
  let description = [{
    `r_i = sum over the ranks of the group of x_i`, for each operand by itself; every rank
    of the group gets the same bits. Gradients, losses and counts are sums over samples, so
    their sums over ranks are sums over the samples of all ranks: a mean is a division
    of two of them.

    The first operands serve one parameter each, those of `parameters`; the others (loss,
    counts) serve none. One op is one bucket: the runtime sends what it exchanges
    together.

    Constraints:
    * (all_reduce_c1) it exchanges at least one tensor, of static shape.
    * (all_reduce_c2) it serves no more parameters than it has operands, and they exist.
    * (all_reduce_c3) it is not over `inter_group`, which is for adasum.

    Example:
    ```mlir
    %r:3 = coll.all_reduce index(0) over all parameters [@fc.weight]
        (%g, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
    ```
  }];
}

#endif // BOOSTC_COLL_ALL_REDUCE
