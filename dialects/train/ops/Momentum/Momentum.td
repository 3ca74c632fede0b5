#ifndef BOOSTC_TRAIN_MOMENTUM
#define BOOSTC_TRAIN_MOMENTUM

include "dialects/train/TrainBase.td"

def Train_MomentumOp : Train_Rule<"momentum", [
    AllTypesMatch<["parameter", "gradient", "velocity", "result", "new_velocity"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "gradient descent with momentum";
  let description = [{
    `v' = momentum * v + (g + weight_decay * w)`, `w' = w - lr * v'`; `v` starts as zeros. A v'
    that would be subnormal, below 2^-126, is 0: rounding would keep it so where gradients are 0.
    Source: Sutskever et al., ICML 2013, in the form PyTorch and MindSpore use, where the
    rate multiplies the velocity. With `decoupled`, weights decay apart from the velocity
    instead of through it: `v' = momentum * v + g`, `w' = w - lr * (v' + weight_decay * w)`
    (Loshchilov and Hutter, ICLR 2019). With `nesterov` weights go along the gradient
    ahead: `g + weight_decay * w + momentum * v'` in place of `v'`.

    Example:
    ```mlir
    %w1, %v1 = train.momentum %w, %g, %lr, %v momentum 0.9 weight_decay 0.0
        if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$gradient,
                       Train_Sum:$learning_rate, Train_Tensor:$velocity,
                       Train_Flag:$applied, F64Attr:$momentum, F64Attr:$weight_decay,
                       UnitAttr:$decoupled, UnitAttr:$nesterov, UnitAttr:$delta);
  let results = (outs Train_Tensor:$result, Train_Tensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $learning_rate `,` $velocity `momentum` $momentum
    `weight_decay` $weight_decay (`decoupled` $decoupled^)? (`nesterov` $nesterov^)?
    `if` $applied (`delta` $delta^)? attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_MOMENTUM
