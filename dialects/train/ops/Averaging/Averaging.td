#ifndef BOOSTC_TRAIN_AVERAGING
#define BOOSTC_TRAIN_AVERAGING

include "dialects/train/TrainBase.td"

def Train_DivideGradientOp : Train_GradientTransform<"divide_gradient", [
    AllTypesMatch<["gradient", "result"]>]> {
  let summary = "a gradient divided by a number of samples or a sum of weights";
  let description = [{
    `g / max(count, 1)`, elementwise: a sum over samples becomes their mean; of no sample
    the sum is zero and stays zero. By a sum of weights, an f32: `g / weight`, and 0 where
    the weight is 0.

    Example:
    ```mlir
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    %m = train.divide_gradient %g by weight %w : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient, AnyTypeOf<[Train_Count, Train_Weight]>:$count);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat =
      "$gradient `by` custom<Divisor>($count, type($count)) attr-dict `:` type($result)";
}

def Train_HasSamplesOp : Train_Computation<"has_samples"> {
  let summary = "1 where there is a sample, else 0";
  let description = [{
    1 if `count`, a number of samples or the sum of their weights, is above 0, else 0;
    summed over ranks it is how many of them contribute.

    Example:
    ```mlir
    %n = train.has_samples %count
    %m = train.has_samples weight %w
    ```
  }];
  let arguments = (ins AnyTypeOf<[Train_Count, Train_Weight]>:$count);
  let results = (outs Train_Count:$result);
  let assemblyFormat = "custom<Divisor>($count, type($count)) attr-dict";
}

def Train_RankMeanOp : Train_Op<"rank_mean", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "the mean of a value over the ranks that have samples";
  let description = [{
    Each rank computes `value` of its own sums, before any of them is summed over ranks.
    `boostc-reduce-gradients` replaces the op by what that takes: the sum over all ranks, divided
    by the number of those that have samples. What a rank without samples computes must be 0, as
    the inverses of `thor.damped_inverse` are then.

    Example:
    ```mlir
    %m = train.rank_mean %x : tensor<2x128x128xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$value);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // BOOSTC_TRAIN_AVERAGING
