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

def Train_RankSumOp : Train_Op<"rank_sum", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "the sum over ranks of what each computes of its own sums";
  let description = [{
    `boostc-reduce-gradients` sums accumulators over ranks before all else; `value` is computed
    of those of this rank alone. The pass replaces the op by an operand of its all-reduces.

    Example:
    ```mlir
    %s = train.rank_sum %x : tensor<2x128x128xf32>
    %n = train.rank_sum %has_samples : tensor<i64>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Train_Tensor, Train_Count]>:$value);
  let results = (outs AnyTypeOf<[Train_Tensor, Train_Count]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // BOOSTC_TRAIN_AVERAGING
