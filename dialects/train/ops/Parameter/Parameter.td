#ifndef BOOSTC_TRAIN_PARAMETER
#define BOOSTC_TRAIN_PARAMETER

include "dialects/train/TrainBase.td"

def Train_ParameterOp : Train_Op<"parameter", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "a trainable tensor";
  let description = [{
    Declares a parameter: its type, what it is to its layer and how it gets its first
    value. Functions take it as an argument bound to `#rt.binding<parameter, "name">`.

    Constraints:
    * (parameter_c1) the type is a static tensor of f32 with at least one element.

    Example:
    ```mlir
    train.parameter @fc1.weight weight <uniform, -0.5, 0.5>
        : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Train_Role:$role,
                       Rt_InitializerAttr:$initializer, TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = "$sym_name $role $initializer attr-dict `:` $type";
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_PARAMETER
