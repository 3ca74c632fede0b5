#ifndef BOOSTC_TRAIN_SGD
#define BOOSTC_TRAIN_SGD

include "dialects/train/TrainBase.td"

def Train_SgdOp : Train_Op<"sgd", [
    Pure, DeclareOpInterfaceMethods<ErrorBoundOpInterface>,
    AllTypesMatch<["parameter", "gradient", "result"]>,
    DeclareOpInterfaceMethods<ScalarUpdateOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "stochastic gradient descent";
  let description = [{
    `w' = w - lr * (g + weight_decay * w)`.

    Example:
    ```mlir
    %w1 = train.sgd %w, %g, %lr weight_decay 0.0 : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$gradient,
                       Train_Sum:$learning_rate, F64Attr:$weight_decay);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $learning_rate `weight_decay` $weight_decay attr-dict
    `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_SGD
