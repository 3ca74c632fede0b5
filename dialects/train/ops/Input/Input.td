#ifndef BOOSTC_TRAIN_INPUT
#define BOOSTC_TRAIN_INPUT

include "dialects/train/TrainBase.td"

def Train_InputOp : Train_Op<"input", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "what the data set feeds";
  let description = [{
    One of the kinds of BoostInputKind in runtime/abi/boost_abi.h:

    * features: f32 `[batch, ...]`; or pixels: i8 `[batch, channels, height, width]`, numbers
      from 0 to 255;
    * with `classes`, integers in `[0, classes)`: indices, i32 `[batch, ...]`, such as
      tokens; or labels, what the loss compares with: i32 `[batch]`, or, with `target` too,
      i32 `[batch, ...]`;
    * with `target` alone, numbers that the loss compares with: f32 `[batch, ...]`;
    * with `weight`, sample weights of the loss and the metrics: f32 `[batch, ...]`;
    * with `sample_keys`, a random number for each sample, a new one in every epoch:
      i32 `[batch]`.

    Constraints:
    * (input_c1) features and targets are static f32 of rank 2 or more; pixels are static i8
      of rank 4.
    * (input_c2) labels and indices are static i32 and `classes` is 2 or more.
    * (input_c3) sample keys are a static vector of i32.
    * (input_c4) `sample_keys` and `weight` are given alone.
    * (input_c5) sample weights are static f32 of rank 1 or more, and of one input at most.

    Example:
    ```mlir
    train.input @image : tensor<32x1x28x28xf32>
    train.input @photo : tensor<32x3x32x32xi8>
    train.input @token classes(1000) : tensor<32x16xi32>
    train.input @label classes(10) : tensor<32xi32>
    train.input @tag classes(9) target : tensor<32x16xi32>
    train.input @density target : tensor<32x4xf32>
    train.input @importance weight : tensor<32xf32>
    train.input @sample_key sample_keys : tensor<32xi32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$classes,
                       UnitAttr:$target, UnitAttr:$weight, UnitAttr:$sample_keys,
                       TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = [{
    $sym_name (`classes` `(` $classes^ `)`)? (`target` $target^)? (`weight` $weight^)?
    (`sample_keys` $sample_keys^)? attr-dict `:` $type
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    BoostInputKind getKind();
  }];
}

#endif // BOOSTC_TRAIN_INPUT
