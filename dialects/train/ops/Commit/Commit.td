#ifndef BOOSTC_TRAIN_COMMIT
#define BOOSTC_TRAIN_COMMIT

include "dialects/train/TrainBase.td"
include "mlir/IR/OpAsmInterface.td"

def Train_CommitOp : Train_Computation<"commit", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the commit point of a step";
  let description = [{
    Decides once whether a step is applied. `count` is the number of samples of the step,
    `values` are its sums over them (loss, gradients, whatever feeds a weight or a state),
    `after` is the `failed` of the step before, 0 before the first:

    `applied` = 1 if count > 0, `after` = 0 and every element of `values` is finite, else 0.

    `weight`, the sum of the weights of weighted samples, must be above 0, too: of a step
    without weight there is nothing to learn. It has not failed, and the next step is applied
    if it can be, whatever `on_nonfinite` says.

    Rules select by `applied`, so a step that is not applied leaves weights and state as
    they were. Where ranks have sums of their own, `nonfinite_ranks`, the number of ranks that
    found a number that is not finite, must be 0 as well, so that all decide alike.

    `on_nonfinite` says what follows a step that is not applied. `fail`: `failed` = 1 -
    `applied`, so no step after it is applied either, even one that was launched before that
    was known.
    `skip`: `failed` = `after`, and the next step is applied if it is finite itself.

    Example:
    ```mlir
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %g : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    ```
  }];
  let arguments = (ins Train_Count:$count, Optional<Train_Weight>:$weight, Train_Flag:$after,
                       Optional<Train_Count>:$nonfinite_ranks,
                       Variadic<Train_Tensor>:$values,
                       Train_FailurePolicy:$on_nonfinite);
  let results = (outs Train_Flag:$applied, Train_Flag:$failed);
  let assemblyFormat = [{
    `count` `(` $count `)` (`weight` `(` $weight^ `)`)? `after` `(` $after `)`
    (`nonfinite_ranks` `(` $nonfinite_ranks^ `)`)?
    (`finite` `(` $values^ `:` type($values) `)`)? `on_nonfinite` $on_nonfinite attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$count, "::mlir::Value":$weight,
                                 "::mlir::Value":$after, "::mlir::ValueRange":$values,
                                 "FailurePolicy":$policy), [{
    ::mlir::Type flag = after.getType();
    build($_builder, $_state, flag, flag, count, weight, after,
          /*nonfinite_ranks=*/::mlir::Value(), values, policy);
  }]>];
}

#endif // BOOSTC_TRAIN_COMMIT
