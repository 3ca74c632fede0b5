#ifndef BOOSTC_TRAIN_LARS
#define BOOSTC_TRAIN_LARS

include "dialects/train/TrainBase.td"

def Train_LarsOp : Train_Rule<"lars", [
    AllTypesMatch<["parameter", "gradient", "velocity", "result", "new_velocity"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "momentum with a rate for each tensor";
  let description = [{
    `v' = momentum * v + ratio * (g + weight_decay * w)`, `w' = w - lr * v'`; `ratio` comes
    from `train.trust_ratio`. A v' that would be subnormal is 0. Source: You et al., "Large Batch Training of Convolutional
    Networks", 2017.

    Example:
    ```mlir
    %w1, %v1 = train.lars %w, %g, %lr, %v ratio(%ratio) momentum 0.9 weight_decay 1.0e-4
        if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$gradient,
                       Train_Sum:$learning_rate, Train_Sum:$ratio,
                       Train_Tensor:$velocity, Train_Flag:$applied, F64Attr:$momentum,
                       F64Attr:$weight_decay, UnitAttr:$delta);
  let results = (outs Train_Tensor:$result, Train_Tensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $learning_rate `,` $velocity `ratio` `(` $ratio `)`
    `momentum` $momentum `weight_decay` $weight_decay `if` $applied (`delta` $delta^)?
    attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_LARS
