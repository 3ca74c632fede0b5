#ifndef BOOSTC_TRAIN_UPDATE
#define BOOSTC_TRAIN_UPDATE

include "dialects/train/TrainBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Train_UpdateOp : Train_Op<"update", [
    Pure, AttrSizedOperandSegments, SingleBlock, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "the commit point of a step";
  let description = [{
    Everything that changes weights or state. `gradients` are sums over the samples of
    the step, `loss` the sum of their losses, `count` their number. The region receives
    the mean gradients (sum / count) and yields a new value for each of `current`. The
    results are those values, and `finite` = 1, if the loss and every gradient are finite,
    count > 0, and `after`, the `finite` of the step before (1 before the first), is not 0;
    else they are `current` itself, untouched, and `finite` = 0. So no step is applied
    after one that was not, even where it began before that was known. With `norm` the
    region yields one scalar more, the norm of the mean gradients, which is the last
    result.

    With a `divisor` the gradients are divided by that, or by 1 where it is 0, in place of
    the count. With `nonfinite_ranks`,
    how many ranks found a number that is not finite, the step is applied if there is none
    (and count > 0 and `after` is not 0), whatever this rank's numbers are. With `deltas` the results of rules
    are, for parameters, `new - current` where the step is applied and 0 where not: what
    `train.apply_delta` adds.

    Constraints:
    * (update_c1) the region takes one argument per gradient, of its type.
    * (update_c2) the region yields one value per element of `current`, of its type, and
      so do the results.
    * (update_c3) the region holds first-order rules (`ScalarUpdateOpInterface`), changes
      of gradients (`GradientTransformOpInterface`), and scalars made of tensors
      (`LowerToLinalgOpInterface`, constants) only.
    * (update_c4) with `deltas` the gradient of each rule is a mean gradient of the region
      that no other rule reads: its memory becomes that of the change.

    Example:
    ```mlir
    %w1, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%g : tensor<4x3xf32>) current(%w : tensor<4x3xf32>) {
    ^bb0(%mean: tensor<4x3xf32>):
      %new = train.sgd %w, %mean, %lr weight_decay 0.0 : tensor<4x3xf32>
      train.yield %new : tensor<4x3xf32>
    }
    ```
  }];
  let arguments = (ins Train_Sum:$loss, Train_Count:$count, Train_Flag:$after,
                       Optional<Train_Count>:$divisor, Optional<Train_Count>:$nonfinite_ranks,
                       Variadic<Train_Tensor>:$gradients,
                       Variadic<Train_Tensor>:$current, UnitAttr:$norm,
                       UnitAttr:$deltas);
  // New values, `finite`, and the norm.
  let results = (outs Variadic<StaticShapeTensorOf<[F32, I32]>>:$outcomes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `loss` `(` $loss `)` `count` `(` $count `)` `after` `(` $after `)`
    (`divisor` `(` $divisor^ `)`)? (`nonfinite_ranks` `(` $nonfinite_ranks^ `)`)?
    `gradients` `(` ($gradients^ `:` type($gradients))? `)`
    `current` `(` ($current^ `:` type($current))? `)` (`norm` $norm^)?
    (`deltas` $deltas^)? $body attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What gradients are divided by.
    ::mlir::Value getDivisorOrCount() {
      return getDivisor() ? getDivisor() : getCount();
    }
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$loss, "::mlir::Value":$count,
                                 "::mlir::Value":$after,
                                 "::mlir::ValueRange":$gradients,
                                 "::mlir::ValueRange":$current,
                                 CArg<"bool", "false">:$norm)>];
}

def Train_YieldOp : Train_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"UpdateOp">]> {
  let summary = "new values of an update";
  let description = [{
    Ends the region of `train.update`.

    Example:
    ```mlir
    train.yield %new : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // BOOSTC_TRAIN_UPDATE
