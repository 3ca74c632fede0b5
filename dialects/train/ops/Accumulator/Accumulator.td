#ifndef BOOSTC_TRAIN_ACCUMULATOR
#define BOOSTC_TRAIN_ACCUMULATOR

include "dialects/train/TrainBase.td"

def Train_AccumulatorOp : Train_Op<"accumulator", [
    Symbol, HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a sum over the samples of a step";
  let description = [{
    `@micro` returns the sum over the samples of its micro-batch, bound to
    `#rt.binding<accumulator, "<name>">`; `@update` receives the sum over all samples of the
    step, of all micro-batches and ranks. The sum is added up as gradients are: in the same
    tree or in place, and in the same exchange of ranks. It is never averaged; what is to be
    a mean is divided in `@update`. A rank without samples adds nothing.

    An accumulator may belong to a parameter (`of`). The gradients of a program's parameters,
    the sum of its loss and the number of its samples are accumulators too. They have
    bindings of their own and need no declaration.

    Constraints:
    * (accumulator_c1) the parameter exists.
    * (accumulator_c2) every use of the binding has the accumulator's type; a binding is of
      an accumulator that is declared (phase `buffers`).

    Example:
    ```mlir
    train.accumulator @bn1.deviation_sum : tensor<64xf32>
    train.accumulator @fc1.weight.factor of @fc1.weight : tensor<784x784xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<FlatSymbolRefAttr>:$parameter,
                       TypeAttrOf<StaticShapeTensorOf<[F32, I64]>>:$type);
  let assemblyFormat = "$sym_name (`of` $parameter^)? attr-dict `:` $type";
}

#endif // BOOSTC_TRAIN_ACCUMULATOR
