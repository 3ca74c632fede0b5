#ifndef BOOSTC_TRAIN_RUNNING_STATISTICS
#define BOOSTC_TRAIN_RUNNING_STATISTICS

include "dialects/train/TrainBase.td"

def Train_RunningStatisticsOp : Train_Computation<"running_statistics", [
    AllTypesMatch<["mean", "variance", "shifts", "squares", "newMean", "newVariance"]>]> {
  let summary = "running mean and variance after a step";
  let description = [{
    Moves running statistics towards those of the `n = count` values of a step, which arrive
    as sums of their distances from the running mean K = `mean`:
    `shifts = sum(x - K)`, `squares = sum((x - K)^2)`.

    ```
    d         = shifts / n
    biased    = max(squares / n - d^2, 0)
    v         = biased, or biased * n / max(n - 1, 1) with `unbiased`
    mean'     = mean + momentum * d
    variance' = variance + momentum * (v - variance)
    ```

    where the step is applied; else both stay as they are. So `momentum` is the weight of the
    step, as in PyTorch's torch.nn.BatchNorm2d, whose running statistics these are where the
    step is one micro-batch of one rank. Sums of any micro-batches and ranks may be added
    before (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The
    American Statistician 37, 1983).

    `d^2` is subtracted in single precision: while the running mean is r standard deviations
    away from the mean, the variance is off by about r^2 units in the last place. That is so
    in the first steps only.

    Constraints:
    * (running_statistics_c1) `momentum` is from 0 to 1.

    Example:
    ```mlir
    %m1, %v1 = train.running_statistics %m, %v from %shifts, %squares of %n
        momentum 1.000000e-01 unbiased if %applied : tensor<64xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$mean, Train_Tensor:$variance, Train_Tensor:$shifts,
                       Train_Tensor:$squares, Train_Count:$count, Train_Flag:$applied,
                       F64Attr:$momentum, UnitAttr:$unbiased);
  let results = (outs Train_Tensor:$newMean, Train_Tensor:$newVariance);
  let assemblyFormat = [{
    $mean `,` $variance `from` $shifts `,` $squares `of` $count `momentum` $momentum
    (`unbiased` $unbiased^)? `if` $applied attr-dict `:` type($mean)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_RUNNING_STATISTICS
