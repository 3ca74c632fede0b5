#ifndef BOOSTC_TRAIN_MOVING_AVERAGE
#define BOOSTC_TRAIN_MOVING_AVERAGE

include "dialects/train/TrainBase.td"

def Train_MovingAverageOp : Train_Computation<"moving_average", [
    AllTypesMatch<["average", "value", "result"]>]> {
  let summary = "an exponential moving average after a step";
  let description = [{
    `a' = a + (1 - decay) * (w - a)` where the step is applied, else `a`, elementwise, in the
    memory of `a`. `w` is a weight after the step. This is `decay * a + (1 - decay) * w`,
    rounded the way of PyTorch's torch.optim.swa_utils.get_ema_multi_avg_fn, and keeps an
    average that is equal to the weight. One that would be subnormal is 0. Source: Polyak and
    Juditsky, SIAM Journal on Control and Optimization 30, 1992, with the weights of Tarvainen and
    Valpola, NeurIPS 2017.

    Constraints:
    * (moving_average_c1) the decay is at least 0 and below 1.

    Example:
    ```mlir
    %a1 = train.moving_average %a of %w1 decay 9.999000e-01 if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$average, Train_Tensor:$value, Train_Flag:$applied,
                       F64Attr:$decay);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $average `of` $value `decay` $decay `if` $applied attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_MOVING_AVERAGE
