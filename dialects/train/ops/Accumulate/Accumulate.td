#ifndef BOOST_TRAIN_ACCUMULATE
#define BOOST_TRAIN_ACCUMULATE

include "dialects/train/TrainBase.td"

def Train_AccumulateOp : Train_Op<"accumulate", [
    Pure, AllTypesMatch<["part", "sums", "result"]>,
    DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "adds what a micro-batch computes to the sums of those before";
  let description = [{
    `count == 0 ? part : sums + part`, elementwise, in the memory of `sums`. `count` is the
    number of samples behind them: sums over none may hold anything.

    Example:
    ```mlir
    %a = train.accumulate %g into %sums of(%n) : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32, I64]>:$part,
                       StaticShapeTensorOf<[F32, I64]>:$sums, Train_Count:$count);
  let results = (outs StaticShapeTensorOf<[F32, I64]>:$result);
  let assemblyFormat = "$part `into` $sums `of` `(` $count `)` attr-dict `:` type($result)";
}

#endif // BOOST_TRAIN_ACCUMULATE
