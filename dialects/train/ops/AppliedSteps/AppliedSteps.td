#ifndef BOOSTC_TRAIN_APPLIED_STEPS
#define BOOSTC_TRAIN_APPLIED_STEPS

include "dialects/train/TrainBase.td"

def Train_CountAppliedOp : Train_Computation<"count_applied"> {
  let summary = "the number of steps that were applied";
  let description = [{
    `steps + 1` if `applied` is not 0, else `steps`, in the memory of `steps`. What an
    optimizer counts by (the t of Adam) is a state, so that a step that is skipped is not
    counted and steps may be launched before the results of earlier ones are known.

    Example:
    ```mlir
    %t1 = train.count_applied %t if %applied
    ```
  }];
  let arguments = (ins Train_Count:$steps, Train_Flag:$applied);
  let results = (outs Train_Count:$result);
  let assemblyFormat = "$steps `if` $applied attr-dict";
}

def Train_OneMinusPowerOp : Train_Computation<"one_minus_power"> {
  let summary = "1 - base^exponent: what corrects the bias of a decaying mean";
  let description = [{
    Computed in double precision, the power as the product of `base^(2^k)` over the bits k of
    `exponent`, and rounded once to f32. A decaying mean `m' = base * m + (1 - base) * x` that
    starts as 0 has this much of its weights after `exponent` steps (Kingma and Ba, ICLR 2015,
    section 3).

    Constraints:
    * (one_minus_power_c1) the base is at least 0 and below 1.

    Example:
    ```mlir
    %c1 = train.one_minus_power %t1 base 0.9
    ```
  }];
  let arguments = (ins Train_Count:$exponent, F64Attr:$base);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = "$exponent `base` $base attr-dict";
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_APPLIED_STEPS
