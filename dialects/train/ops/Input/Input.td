#ifndef BOOST_TRAIN_INPUT
#define BOOST_TRAIN_INPUT

include "dialects/train/TrainBase.td"

def Train_InputOp : Train_Op<"input", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "what the data set feeds";
  let description = [{
    Features (f32, `[batch, ...]`) or, with `classes`, labels (i32, `[batch]`, values in
    `[0, classes)`).

    Constraints:
    * (input_c1) features are static f32 of rank 2 or more.
    * (input_c2) labels are a static vector of i32 and `classes` is 2 or more.

    Example:
    ```mlir
    train.input @image : tensor<32x1x28x28xf32>
    train.input @label classes(10) : tensor<32xi32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$classes,
                       TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = "$sym_name (`classes` `(` $classes^ `)`)? attr-dict `:` $type";
  let hasVerifier = 1;
}

#endif // BOOST_TRAIN_INPUT
