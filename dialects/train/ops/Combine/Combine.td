#ifndef BOOST_TRAIN_COMBINE
#define BOOST_TRAIN_COMBINE

include "dialects/train/TrainBase.td"

def Train_CombineOp : Train_Op<"combine", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "adds the partial sums of two micro-batches";
  let description = [{
    `a + b`, elementwise: one node of the fixed binary tree in which gradients, losses and
    counts of micro-batches are summed.

    Example:
    ```mlir
    %g = train.combine %a, %b : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32, I64]>:$lhs,
                       StaticShapeTensorOf<[F32, I64]>:$rhs);
  let results = (outs StaticShapeTensorOf<[F32, I64]>:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // BOOST_TRAIN_COMBINE
