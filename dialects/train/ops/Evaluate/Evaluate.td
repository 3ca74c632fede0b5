#ifndef BOOSTC_TRAIN_EVALUATE
#define BOOSTC_TRAIN_EVALUATE

include "dialects/train/TrainBase.td"

def Train_EvaluateOp : Train_Op<"evaluate", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "a forward function, for evaluation";
  let description = [{
    Calls `callee` as evaluation does. Phase `backward` replaces it by the function's
    body.

    Constraints:
    * (evaluate_c1) `callee` is a function of this type.

    Example:
    ```mlir
    %loss:2 = train.evaluate @forward(%x, %label, %valid, %w)
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x3xf32>)
        -> (tensor<f32>, tensor<i64>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

#endif // BOOSTC_TRAIN_EVALUATE
