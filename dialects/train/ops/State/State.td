#ifndef BOOSTC_TRAIN_STATE
#define BOOSTC_TRAIN_STATE

include "dialects/train/TrainBase.td"

def Train_StateOp : Train_Op<"state", [
    Symbol, HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor the optimizer keeps for a parameter";
  let description = [{
    Starts as zeros and is checkpointed. Called "<parameter>.<slot>".

    Constraints:
    * (state_c1) the parameter exists and has the state's type.

    Example:
    ```mlir
    train.state @fc1.weight.momentum "momentum" of @fc1.weight : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$slot,
                       FlatSymbolRefAttr:$parameter, TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = "$sym_name $slot `of` $parameter attr-dict `:` $type";
}

#endif // BOOSTC_TRAIN_STATE
