#ifndef BOOSTC_TRAIN_SGD
#define BOOSTC_TRAIN_SGD

include "dialects/train/TrainBase.td"

def Train_SgdOp : Train_Rule<"sgd", [
    AllTypesMatch<["parameter", "gradient", "result"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "stochastic gradient descent";
  let description = [{
    `w' = w - lr * (g + weight_decay * w)`.

    Example:
    ```mlir
    %w1 = train.sgd %w, %g, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$gradient,
                       Train_Sum:$learning_rate, Train_Flag:$applied,
                       F64Attr:$weight_decay, UnitAttr:$delta);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $learning_rate `weight_decay` $weight_decay
    `if` $applied (`delta` $delta^)? attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_SGD
