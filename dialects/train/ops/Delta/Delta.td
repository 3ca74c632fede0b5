#ifndef BOOSTC_TRAIN_DELTA
#define BOOSTC_TRAIN_DELTA

include "dialects/train/TrainBase.td"

def Train_NotFiniteOp : Train_Computation<"not_finite"> {
  let summary = "1 where a number is not finite, else 0";
  let description = [{
    1 if any element of any operand is infinite or NaN, else 0; summed over ranks it is how
    many of them object to the step.

    Example:
    ```mlir
    %n = train.not_finite (%loss, %g : tensor<f32>, tensor<4x3xf32>)
    ```
  }];
  let arguments = (ins Variadic<Train_Tensor>:$values);
  let results = (outs Train_Count:$result);
  let assemblyFormat = "`(` ($values^ `:` type($values))? `)` attr-dict";
}

def Train_ApplyDeltaOp : Train_Computation<"apply_delta", [
    AllTypesMatch<["current", "change", "result"]>]> {
  let summary = "a weight and its change, if the step is applied";
  let description = [{
    `current + change` if `applied` is not 0, else `current`, in the memory of `current`.

    Example:
    ```mlir
    %w1 = train.apply_delta %d to %w if %applied : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$change, Train_Tensor:$current, Train_Flag:$applied);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$change `to` $current `if` $applied attr-dict `:` type($result)";
}

#endif // BOOSTC_TRAIN_DELTA
