#ifndef BOOSTC_TRAIN_GROUP_SCALE
#define BOOSTC_TRAIN_GROUP_SCALE

include "dialects/train/TrainBase.td"

def Train_AdjustGroupScaleOp : Train_Computation<"adjust_group_scale", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the scale of a group's gradients in the next step";
  let description = [{
    `nonfinite` is not 0 where a gradient of the group is not finite, on any rank:

    * `new_scale = scale * 2^(-1/2)` and `new_overflows = overflows + 1` then;
    * `new_scale = scale * 2^(1/1000)` and `new_overflows = overflows` else.

    The new scale is kept from 1 to 2^24. Both results are in the memory of their operands. A
    step of no samples, or of samples without weight, by `of`, changes nothing. Whether the
    step is applied is not asked: other groups may have stopped it. The rule is that of
    MindSpore's GroupLossScaleManager, with the two limits.

    Example:
    ```mlir
    %scale1, %overflows1 = train.adjust_group_scale %scale, %overflows of %count nonfinite %n
    ```
  }];
  let arguments = (ins Train_Sum:$scale, Train_Count:$overflows,
                       AnyTypeOf<[Train_Count, Train_Weight]>:$samples,
                       Train_Count:$nonfinite);
  let results = (outs Train_Sum:$new_scale, Train_Count:$new_overflows);
  let assemblyFormat = [{
    $scale `,` $overflows `of` custom<Divisor>($samples, type($samples))
    `nonfinite` $nonfinite attr-dict
  }];
}

def Train_StackOp : Train_Computation<"stack", [SameTypeOperands, InferTypeOpAdaptor]> {
  let summary = "scalars as one vector";
  let description = [{
    Element i of the result is operand i: one buffer for the host to read.

    Constraints:
    * (stack_c1) there are 1 to 32 operands, because a kernel takes so many buffers.

    Example:
    ```mlir
    %v = train.stack %a, %b : tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Train_Sum, Train_Count]>>:$values);
  let results = (outs TensorRankOf<[F32, I64], [1]>:$result);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // BOOSTC_TRAIN_GROUP_SCALE
