#ifndef BOOSTC_TRAIN_FREEZE_GROUP
#define BOOSTC_TRAIN_FREEZE_GROUP

include "dialects/train/TrainBase.td"

def Train_FreezeGroupOp : Train_Computation<"freeze_group"> {
  let summary = "the freeze group of a step in the interleaved schedule";
  let description = [{
    0 in a step that trains everything, else the number of the group of a step that leaves the
    first layers alone, from 1 to `groups` - 1. With s = `step` - 1, modulo `length` where that
    is not 0: s = 0 trains everything, and after it a step is frozen where the share of frozen
    steps before it, rounded to a double, is below `1 - full_share` in double precision. A
    frozen step draws its group k with probability `(groups - k) / (1 + ... + (groups - 1))`:

    `u = w * (1 + ... + (groups - 1)) / 2^32`, rounded down, with the first word w of block s of
    the stream "grad_freeze" of `seed` (runtime/abi/boost_random.h), and k is the group in
    whose share of the range u lies, the first group's share the first.

    So the group is a function of the step's number, on all ranks and after every resume. It is
    computed in integers: with the midpoint m of `1 - full_share` and the double below it, the
    number of frozen steps before s is `ceil(m * (s - 1))` for s > 0, because a quotient rounds
    to a double below `1 - full_share` just where it is below m. Steps are counted modulo 2^31.
    Source: MindSpore's `grad_freeze` with `freeze_type` 1.

    Constraints:
    * (freeze_group_c1) there are 2 to 256 groups, the share is from 0 to 1, and the length is
      0 or more.

    Example:
    ```mlir
    %k = train.freeze_group %step groups 10 full_share 0.7 length 0 seed 1
    ```
  }];
  let arguments = (ins Train_Count:$step, I64Attr:$groups, F64Attr:$full_share, I64Attr:$length,
                       I64Attr:$seed);
  let results = (outs Train_Flag:$result);
  let assemblyFormat = [{
    $step `groups` $groups `full_share` $full_share `length` $length `seed` $seed attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_FREEZE_GROUP
