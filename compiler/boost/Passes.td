#ifndef BOOSTC_BOOSTC_PASSES
#define BOOSTC_BOOSTC_PASSES

include "mlir/Pass/PassBase.td"

def AverageMicroBatchesPass
    : Pass<"boostc-average-micro-batches", "::boostc::train::ProgramOp"> {
  let summary = "Gradient accumulation: what a micro-batch adds to a step";
  let description = [{
    A step sums what `@micro` returns for each of its micro-batches, and divides once, in
    `@update`. Where the program's `train.averaging` asks for the sum of the micro-batches'
    means, `@micro` divides its gradients by its own number of samples. The loss stays a
    sum over samples: what is reported is its mean over them in any case.

    Before and after, with `#train.averaging<micro_batches = sum, ranks = mean>`:
    ```mlir
    return %g, %sum, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>
    ```
    ```mlir
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    return %m, %sum, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>
    ```
  }];
}

def AccumulateInPlacePass
    : Pass<"boostc-accumulate-in-place", "::boostc::train::ProgramOp"> {
  let summary = "Gradient accumulation in one gradient set, whatever its length";
  let description = [{
    In a program with `rt.reproducible` off and several micro-batches, `@micro` takes the
    sums of the micro-batches before, under the bindings of its results, and adds to them:
    each gradient where it is made, so that no other is kept for it. The number of samples
    is added last: while it is 0, the set is empty whatever it holds, and is overwritten
    (`train.combine ... of`), so that it need not be cleared.

    Without the pass, micro-batches have sets of their own, which `@combine` adds up as a
    tree: the same bits however many ranks share the window, for a set more with each
    doubling of it.

    Before and after:
    ```mlir
    func.func @micro(%x: tensor<2x3xf32> {...})
        -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, ...) {
      %g = nn.dense_grad_weight ...
      return %g, %sum, %count : ...
    ```
    ```mlir
    func.func @micro(%x: tensor<2x3xf32> {...},
                     %w: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, ...,
                     %n: tensor<i64> {rt.binding = #rt.binding<loss_count>})
        -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, ...) {
      %g = nn.dense_grad_weight ...
      %a = train.combine %w, %g of(%n) : tensor<4x3xf32>
      ...
      %m = train.combine %n, %count of(%n) : tensor<i64>
      return %a, %s, %m : ...
    ```
  }];
}

def ReduceGradientsPass
    : Pass<"boostc-reduce-gradients", "::boostc::train::ProgramOp"> {
  let summary = "Data parallel: gradients are summed over ranks before the update";
  let description = [{
    Puts `coll.all_reduce` ops before all else in `@update`, once for each step: gradients in
    the reverse order of the parameters, as the backward makes them, then the accumulators
    that the program declares, in buckets of at most `bucket-bytes` (a larger one has a
    bucket of its own), the loss and the number of samples in the last. `@update` returns
    the sums too, bound as they came, so that they are computed in place.

    Divisions follow from the program's `train.averaging`: by the number of all samples
    after the sum, which needs no op; or by this rank's number before it, where
    ranks' means are summed; or by the number of ranks that have samples, which is summed
    with the rest.

    In a step of several phases (`train.variant`) the same is done in each probe, and a sum is
    exchanged once: in the first probe or update after the `micro` that returns it.

    A function that has collectives already stays as it is.

    Before:
    ```mlir
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %g : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    %w1 = train.sgd %w, %m, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %applied, %failed : tensor<4x3xf32>, tensor<i32>, tensor<i32>
    ```
    After:
    ```mlir
    %r:3 = coll.all_reduce index(0) over all parameters [@w]
        (%g, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
    %applied, %failed = train.commit count(%r#2) after(%before)
        finite(%r#1, %r#0 : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %m = train.divide_gradient %r#0 by %r#2 : tensor<4x3xf32>
    %w1 = train.sgd %w, %m, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %applied, %failed, %r#0, %r#1, %r#2 : ...
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "uint64_t", "26214400",
           "Most bytes of gradients and accumulators in a bucket">
  ];
  let dependentDialects = ["::boostc::coll::CollDialect", "::mlir::arith::ArithDialect"];
}

def CombineByAdasumPass
    : Pass<"boostc-combine-by-adasum", "::boostc::train::ProgramOp"> {
  let summary = "Adasum: groups of ranks average, their results are combined by Adasum";
  let description = [{
    Rewrites the all-reduces of boostc-reduce-gradients in a program with
    `train.adasum`. Gradients and what they are divided by are summed over the inner group
    of ranks; the loss, its count and every other accumulator, for the report, the states
    and the decision to apply the step, over all. `gradient` mode combines the mean
    gradients of the groups by `coll.adasum` and updates with what comes out. `delta` mode
    lets each group's optimizer compute its changes of the weights (rules with `delta`),
    combines these and adds them (`train.apply_delta`); the state of a parameter is the
    rank's own. All ranks agree before whether numbers are finite, so all or none apply the
    step.

    Before:
    ```mlir
    %r:3 = coll.all_reduce index(0) over all parameters [@w] (%g, %loss, %count : ...)
    %applied, %failed = train.commit count(%r#2) after(%before) finite(%r#1, %r#0 : ...) ...
    %m = train.divide_gradient %r#0 by %r#2 : tensor<4x3xf32>
    %w1 = train.sgd %w, %m, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
    After, in gradient mode:
    ```mlir
    %r:2 = coll.all_reduce index(0) over intra_group parameters [@w] (%g, %count : ...)
    %s:2 = coll.all_reduce index(1) over all parameters [] (%loss, %count : ...)
    %m = train.divide_gradient %r#0 by %r#1 : tensor<4x3xf32>
    %a = coll.adasum index(2) over inter_group parameters [@w] groups [0] (%m : tensor<4x3xf32>)
    %applied, %failed = train.commit count(%s#1) after(%before) finite(%s#0, %a : ...) ...
    %w1 = train.sgd %w, %a, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
  }];
  let dependentDialects = ["::boostc::coll::CollDialect", "::mlir::arith::ArithDialect"];
}

#endif // BOOSTC_BOOSTC_PASSES
