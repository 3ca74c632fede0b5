#ifndef BOOSTC_TRAIN_COMBINE
#define BOOSTC_TRAIN_COMBINE

include "dialects/train/TrainBase.td"

def Train_CombineOp : Train_Computation<"combine", [
    AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "adds the partial sums of two micro-batches, or of one to those before";
  let description = [{
    `a + b`, elementwise, in the memory of `a`. In `@combine` it is one node of the fixed
    binary tree in which gradients, losses and counts of micro-batches are summed. In
    `@micro`, where micro-batches share a gradient set, it adds one to the sums of those
    before, with `count`, the number of their samples: where that is 0, `a` may hold
    anything, and the result is `b`.

    Example:
    ```mlir
    %g = train.combine %a, %b : tensor<4x3xf32>
    %h = train.combine %sums, %b of(%n) : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32, I64]>:$lhs,
                       StaticShapeTensorOf<[F32, I64]>:$rhs,
                       Optional<Train_Count>:$count);
  let results = (outs StaticShapeTensorOf<[F32, I64]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`of` `(` $count^ `)`)? attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, lhs, rhs, /*count=*/::mlir::Value());
  }]>];
}

#endif // BOOSTC_TRAIN_COMBINE
