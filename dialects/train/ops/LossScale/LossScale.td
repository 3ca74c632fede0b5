#ifndef BOOSTC_TRAIN_LOSS_SCALE
#define BOOSTC_TRAIN_LOSS_SCALE

include "dialects/train/TrainBase.td"

def Train_UnscaleGradientOp : Train_GradientTransform<"unscale_gradient", [
    AllTypesMatch<["gradient", "result"]>]> {
  let summary = "a gradient of a scaled loss as that of the loss";
  let description = [{
    `g / scale`, elementwise: exact where the scale is a power of two.

    Example:
    ```mlir
    %h = train.unscale_gradient %g by %scale : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient, Train_Sum:$scale);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$gradient `by` $scale attr-dict `:` type($result)";
}

def Train_AdjustLossScaleOp : Train_Computation<"adjust_loss_scale", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the loss scale of the next step";
  let description = [{
    Follows a step that was applied or found a number that is not finite. `steps` counts
    those that were applied since the scale has changed:

    * not applied: `new_scale = max(scale / factor, 1)`, `new_steps = 0`;
    * applied, and it is number `window`: `new_scale = scale * factor`, where that is finite,
      and `new_steps = 0`;
    * applied else: `new_scale = scale`, `new_steps = steps + 1`.

    Both are in the memory of their operands. `used` is the scale of this step, for the
    report. A step of no samples, or of samples without weight, by `of`, says nothing of the
    scale and changes nothing. The rule is that of MindSpore's DynamicLossScaleManager.

    Constraints:
    * (adjust_loss_scale_c1) the factor is above 1 and finite.
    * (adjust_loss_scale_c2) the window is 1 or more.

    Example:
    ```mlir
    %scale1, %steps1, %used = train.adjust_loss_scale %scale, %steps of %count if %applied
        factor 2.0 window 2000
    ```
  }];
  let arguments = (ins Train_Sum:$scale, Train_Count:$steps,
                       AnyTypeOf<[Train_Count, Train_Weight]>:$samples, Train_Flag:$applied,
                       F64Attr:$factor, I64Attr:$window);
  let results = (outs Train_Sum:$new_scale, Train_Count:$new_steps, Train_Sum:$used);
  let assemblyFormat = [{
    $scale `,` $steps `of` custom<Divisor>($samples, type($samples)) `if` $applied
    `factor` $factor `window` $window attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_LOSS_SCALE
