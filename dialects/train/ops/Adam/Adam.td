#ifndef BOOSTC_TRAIN_ADAM
#define BOOSTC_TRAIN_ADAM

include "dialects/train/TrainBase.td"

def Train_AdamOp : Train_Rule<"adam", [
    AllTypesMatch<["parameter", "gradient", "first", "second", "result",
                         "new_first", "new_second"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "Adam and AdamW";
  let description = [{
    With `g' = g + weight_decay * w`:
    `m' = beta1 * m + (1 - beta1) * g'`, `v' = beta2 * v + (1 - beta2) * g'^2`,
    `w' = w - lr * (m' / c1) / (sqrt(v' / c2) + epsilon)`; m and v start as zeros, and
    `c1 = 1 - beta1^t`, `c2 = 1 - beta2^t` at update t, from 1, are `corrections`, made by
    `train.one_minus_power`. An m' that would be subnormal is 0. Source: Kingma and Ba, ICLR 2015. With `decoupled`, weights decay
    apart from the moments: `g' = g` and `w' = w - lr * (... + weight_decay * w)` (Loshchilov
    and Hutter, ICLR 2019).

    Example:
    ```mlir
    %w1, %m1, %v1 = train.adam %w, %g, %lr, %m, %v corrections(%c1, %c2) betas 0.9, 0.999
        epsilon 1.0e-8 weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$gradient,
                       Train_Sum:$learning_rate, Train_Sum:$correction1,
                       Train_Sum:$correction2, Train_Tensor:$first,
                       Train_Tensor:$second, Train_Flag:$applied, F64Attr:$beta1,
                       F64Attr:$beta2, F64Attr:$epsilon, F64Attr:$weight_decay,
                       UnitAttr:$decoupled, UnitAttr:$delta);
  let results = (outs Train_Tensor:$result, Train_Tensor:$new_first,
                      Train_Tensor:$new_second);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $learning_rate `,` $first `,` $second
    `corrections` `(` $correction1 `,` $correction2 `)` `betas` $beta1 `,` $beta2
    `epsilon` $epsilon `weight_decay` $weight_decay (`decoupled` $decoupled^)?
    `if` $applied (`delta` $delta^)? attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_ADAM
