#ifndef BOOSTC_BOOSTC_PASSES
#define BOOSTC_BOOSTC_PASSES

include "mlir/Pass/PassBase.td"

def RemoveBatchNormsPass
    : Pass<"boostc-remove-batch-norms", "::boostc::train::ProgramOp"> {
  let summary = "less_bn: blocks without the batch norms that they do not need";
  let description = [{
    In a program with `train.less_batch_norms`, takes batch norms out of blocks by how layers
    are connected, in training and in evaluation, before anything is differentiated. What read
    a removed norm reads its input; nothing is put in its place. Its parameters, their
    optimizer states, its running statistics and its accumulators leave the program with it.

    | block | norms that stay |
    |---|---|
    | residual, whose longer branch, of two contractions or more, ends with a norm | the last one of this branch, and those of depthwise convolutions |
    | linear bottleneck | not that of a 1x1 convolution which widens a value without an activation, before an activation and a depthwise convolution or a pooling |
    | layer that is joined to a concatenation | not the one that reads the concatenation, where another one or a pooling follows; of a first layer, which reads none, not the second one |

    So ResNet-50 keeps 17 of 53, ResNet-18 9 of 20, MobileNetV2 35 of 52 and DenseNet-121 60 of
    121. A remark says how many go. Interfaces say what a layer is (LayerKindOpInterface,
    ScalarFunctionOpInterface). Source: the patterns of MindSpore's pass
    `less_batch_normalization`, read as rules about structure. Numbers of parameters in
    `train.adasum` follow those that stay.

    Before, inside of a residual block:
    ```mlir
    %0 = nn.conv2d %x, %w0 ...
    %1, %mean, %variance = nn.batch_norm %0, %gamma, %beta, %valid epsilon 1.0e-5 : ...
    %2 = nn.relu %1 : tensor<4x8x6x6xf32>
    %3 = nn.conv2d %2, %w1 ...
    ```
    After:
    ```mlir
    %0 = nn.conv2d %x, %w0 ...
    %2 = nn.relu %0 : tensor<4x8x6x6xf32>
    %3 = nn.conv2d %2, %w1 ...
    ```
  }];
}

def CentralizeGradientsPass
    : Pass<"boostc-centralize-gradients", "::boostc::train::ProgramOp"> {
  let summary = "less_bn: gradients of weights without the mean of each output's part";
  let description = [{
    In a program with `train.centralize_gradients`, the rule of a weight reads its gradient
    without the mean over each output's part, and so does all that comes before the rule: the
    norm that LARS takes its rate from, Muon's average, THOR's preconditioning. Weights are the
    parameters that the forward uses as weights of dense layers and of convolutions without
    groups, and as nothing else. Decay is added by the rule and not
    centralised. Norms over all gradients, and clipping by them, come before.

    Source: Yong et al., "Gradient Centralization: A New Optimization Technique for Deep
    Neural Networks", 2020. This pass comes before autodiff, while `@forward` says what is a
    weight.

    Before:
    ```mlir
    %g = train.divide_gradient %sum by %count : tensor<4x3xf32>
    %w1 = train.sgd %w, %g, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
    After:
    ```mlir
    %g = train.divide_gradient %sum by %count : tensor<4x3xf32>
    %m = train.filter_means %g : tensor<4x3xf32>
    %c = train.center_gradient %g by %m : tensor<4x3xf32>, tensor<4xf32>
    %w1 = train.sgd %w, %c, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    ```
  }];
}

def ScaleGroupsPass
    : Pass<"boostc-scale-groups", "::boostc::train::ProgramOp"> {
  let summary = "loss_scale_group: a loss scale for each group of layers";
  let description = [{
    In a program with `train.loss_scale_groups`, scales the gradients of each group of
    parameters by a number of its own, which is state of the program, and divides them again
    by this very number.

    * A value of the forward is of the last group among the parameters that it depends on, as
      its gradient is scaled as those of this group. Where an op reads a value of an earlier
      group than that of its results, `nn.scale_gradient` is put on that edge: the gradient
      that flows back over it is multiplied by the one scale over the other. Ops of one group
      share it. So the gradients that meet in a value have one scale, whatever the number of
      ways between two groups (residual connections, concatenations), and the gradient of a
      parameter has that of its group. The loss is of the last group.
    * `@update` divides the mean gradients by their scales, before anything else reads them.
      A scale follows whether a gradient of its group is not finite (`train.not_finite`,
      `train.adjust_group_scale`). `train.commit` applies the step if all are finite.
    * `@eval` keeps the forward as it was.

    A remark says how many edges cross between groups. Source: MindSpore's
    `GroupLossScaleManager`, where the user puts the markers himself.

    Before, with two groups of one layer each:
    ```mlir
    func.func @forward(%x ..., %w0 ..., %w1 ...) {
      %0 = nn.dense %x, %w0 : ...
      %1 = nn.dense %0, %w1 : ...
    func.func @micro(%x ..., %w0 ..., %w1 ...) {
      %sum, %count, %g0, %g1 = train.value_and_grad @forward(%x, %w0, %w1) wrt [1, 2] : ...
    func.func @update(%g0 ..., ...) {
      %m0 = train.divide_gradient %g0 by %count : tensor<4x3xf32>
    ```
    After:
    ```mlir
    func.func @forward_scaled(%x ..., %w0 ..., %w1 ..., %s0: tensor<f32>, %s1: tensor<f32>) {
      %0 = nn.dense %x, %w0 : ...
      %1 = nn.scale_gradient %0 by %s0 over %s1 : tensor<2x4xf32>
      %2 = nn.dense %1, %w1 : ...
    func.func @micro(%x ..., %w0 ..., %w1 ..., %s0 ..., %s1 ...) {
      %sum, %count, %g0, %g1 = train.value_and_grad @forward_scaled(%x, %w0, %w1, %s0, %s1)
          scale(%s1) wrt [1, 2] : ...
    func.func @update(%g0 ..., %s0 {rt.binding = #rt.binding<state, "loss_scale.1">}, ...) {
      %m0 = train.divide_gradient %g0 by %count : tensor<4x3xf32>
      %h0 = train.unscale_gradient %m0 by %s0 : tensor<4x3xf32>
      %n0 = train.not_finite (%g0 : tensor<4x3xf32>)
      %s, %n = train.adjust_group_scale %s0, %o0 of %count nonfinite %n0
    ```
  }];
  let dependentDialects = ["::boostc::nn::NnDialect"];
}

def FreezeLayersPass
    : Pass<"boostc-freeze-layers", "::boostc::train::ProgramOp"> {
  let summary = "grad_freeze: steps that leave the first layers alone";
  let description = [{
    In a program with `train.freeze`, adds a variant of the step for each freeze group but the
    first. With A layers, each a weight with the norm and the bias that follow it, and G groups,
    group k trains the layers from number `k * (A / G)` on; group 0 trains all of them and is the
    usual step, `@full`. The update of a variant has no rule for what is frozen: parameters, their
    states and their decay stay what they are, norms over all gradients are over those that there
    are, and ranks exchange these alone. The number of steps that Adam corrects its means by is
    one for each group, of the steps in which its layers were trained.

    All variants share `@micro`; `boostc-specialize-micros` takes out of each what its update
    does not read. Statistics and moving averages of weights change in every step.

    `continuous` lists steps: z of them train everything, then the groups 1 to G - 1 have one
    each, and so on, with `z = floor(p (G - 1) / (1 - p))` for the share p of whole steps.
    `interleaved` has a `train.selector` that computes `train.freeze_group`. Source: MindSpore's
    `grad_freeze`, in which groups have optimizer states of their own.

    Before:
    ```mlir
    func.func @update(%gw ..., %gv ..., %w ..., %v ...) -> (w, v, applied, failed)
    ```
    After, with two groups of one layer each:
    ```mlir
    train.variant @frozen_1 micro(@micro) update(@update_frozen_1)
    train.variant @full micro(@micro) update(@update)
    train.selector @select variants [@full, @frozen_1]
    func.func @update_frozen_1(%gv ..., %v ...) -> (v, applied, failed)
    func.func @update(%gw ..., %gv ..., %w ..., %v ...) -> (w, v, applied, failed)
    ```
  }];
}

def SearchSubspacePass
    : Pass<"boostc-search-subspace", "::boostc::train::ProgramOp"> {
  let summary = "dim_reduce: steps that a line search finds in a subspace";
  let description = [{
    In a program with `train.subspace`, a step moves the weights inside of a subspace by a
    quasi-Newton method with a line search, and outside of it by gradient descent with
    momentum. The subspace is that of a few vectors as long as all parameters together, the
    rows of an orthonormal basis `P`, which `boost-run` reads from a file. `g` is what the
    optimizer's rules would read: mean, unscaled, clipped. The rules themselves leave the
    program, with their states.

    A step has two phases before its update:

    * `@direction`, after `@micro`: `c = P g`, the inverse Hessian `B` after the last step
      (`train.bfgs_update`), the descent `x = P^t B c`, and `r = g - P^t c`;
    * `@judge`, after `@micro_trial`, which computes the loss at `w - f x` on the same window:
      accepts `f` if the loss is below `loss - sigma * f * (c . B c)`. `f` is 1, then rho, then
      0, which needs no trial.

    `@update` computes `m = gamma * m + r`, `w = w - (alpha * m + f * x)`, and keeps `B`, `c`
    and the step `-f B c` for the next one where `f` is above 0. Trials change neither
    statistics nor anything else. Losses and gradients are means over all ranks.

    Source: MindSpore's `dim_reduce`, without what its steps do by mistake: losses rounded
    down to integers on several ranks, a residual that keeps the loss scale, and running
    statistics that trials move.

    With `shards` above 1 a rank keeps as many of the rows of `P` as any other, and computes with
    these alone; `boostc-share-basis` adds what ranks exchange.

    Before:
    ```mlir
    func.func @update(%gw ..., %w ..., %v ...) -> (w, v, applied, failed)
    ```
    After:
    ```mlir
    train.variant @searched
        phases [#train.phase<micro = @micro, probe = @direction>,
                #train.phase<micro = @micro_trial, probe = @judge, repeats = true>]
        update(@update)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

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

def PreconditionGradientsPass
    : Pass<"boostc-precondition-gradients", "::boostc::train::ProgramOp"> {
  let summary = "THOR: gradients are multiplied with inverse Kronecker factors";
  let description = [{
    Replaces each `thor.natural_gradient` of `@update`. Where the op that gives the gradient in
    `@micro` knows its factors (`PreconditionableOpInterface`), the layer gets two accumulators,
    the factors, and three states: their inverses, and whether both could be computed. Any other
    parameter keeps its gradient. A remark says which, and what it costs.

    Steps are of two variants then. Steps that refresh have an `@micro` that returns factors,
    too, and an `@update` that inverts them and uses the inverses at once. Those between use the
    inverses of the last step that refreshed them and was applied. With a frequency of 1 all
    steps refresh.

    The first step refreshes, then the first one of `frequency` steps or more after a refresh
    in which all parameters train (`boostc-freeze-layers`). A selector counts steps since then
    in a state, `thor.age`. A refresh that is not applied, because of an overflow, is made again
    two steps later, when the host knows of it.

    `staggered`, the first refresh is of all layers. Then they are divided into as many slots as
    there are layers, 16 at most, which cost about the same; a refresh is that of the next slot,
    and of a slot in every `frequency`-th step. A state, `thor.slot`, says which one is next.
    One variant serves all slots: factors of layers that are not due are zeros, of which nothing
    is inverted.

    With `factor_decay` the factors of a refresh are added to moving averages, three more states
    of a layer, and these are inverted. `balanced`, their traces divide the damping. With
    `refresh_above`, a refresh inverts the factors of layers alone whose trace changed by more
    than that since they were inverted last; with `stop_below`, never again those of a layer that
    once changed by less, whose factors are not computed any more, either. Two more states of a
    layer say so, the trace and whether the layer settled (`thor.trace_change`). With
    `kl_clip` every step scales its preconditioned gradients, all of which are computed before
    the first rule then. `by_rank`, each rank inverts the sums of its own samples, and inverses
    are averaged over the ranks that have samples (`train.rank_sum`).

    A layer whose factors could not be inverted takes its plain gradient until the next refresh.

    Before:
    ```mlir
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    %p = thor.natural_gradient %m of @w damping %lambda frequency 100 block_size 128
        : tensor<4x3xf32>
    ```
    After, in `@update`:
    ```mlir
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    %p = thor.precondition %m, %a, %b if %ready groups 1 positions 1
        : tensor<4x3xf32>, tensor<1x3x3xf32>, tensor<1x4x4xf32>
    ```
    and in `@update_refresh`:
    ```mlir
    %x, %failed = thor.damped_inverse %factor_a by %count rows 1 positions 1 damping %lambda
        : tensor<1x3x3xf32>
    %y, %failed_1 = thor.damped_inverse %factor_g by %count rows 1 positions 1 damping %lambda
        : tensor<1x4x4xf32>
    ...
    %p = thor.precondition %m, %x, %y if %ready groups 1 positions 1
        : tensor<4x3xf32>, tensor<1x3x3xf32>, tensor<1x4x4xf32>
    ```
  }];
  let dependentDialects = ["::boostc::thor::ThorDialect", "::mlir::arith::ArithDialect"];
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

    The operands of `train.rank_sum` are computed before all of that, and are exchanged with
    the accumulators. Accumulators that nothing else reads are not exchanged.

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

def ShareBasisPass : Pass<"boostc-share-basis", "::boostc::train::ProgramOp"> {
  let summary = "dim_reduce: ranks share the rows of the basis";
  let description = [{
    Where each rank keeps a shard of the basis (`train.project` with `shards`, and `train.lift` of
    more coordinates than its basis has rows), an all-gather brings the coordinates of all shards
    to all ranks, and what coordinates stand for is summed over ranks: each lifts those of its own
    [slice](coll.md#coll-dialect). Coordinates are summed over the parameters before. Vectors as
    long as the parameters are summed in buckets of at most `bucket-bytes`, a larger one in a
    bucket of its own.

    Before, with two rows of four on each of two ranks:
    ```mlir
    %c = train.project %g onto %rows shards 2 : tensor<3xf32>, tensor<2x3xf32>
    %x, %p = train.lift %d, %c by %rows : (tensor<4xf32>, tensor<4xf32>), tensor<2x3xf32>
    ```
    After:
    ```mlir
    %own = train.project %g onto %rows shards 2 : tensor<3xf32>, tensor<2x3xf32>
    %c = coll.all_gather index(1) over all parameters [] (%own : tensor<4xf32>)
    %s:2 = coll.own_slice index(2) over all parameters [] (%d, %c : tensor<4xf32>, tensor<4xf32>)
    %y:2 = train.lift %s#0, %s#1 by %rows : (tensor<4xf32>, tensor<4xf32>), tensor<2x3xf32>
    %x:2 = coll.all_reduce index(3) over all parameters []
        (%y#0, %y#1 : tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "uint64_t", "26214400",
           "Most bytes of vectors in a bucket">
  ];
  let dependentDialects = ["::boostc::coll::CollDialect"];
}

def DivideInversionsPass
    : Pass<"boostc-divide-inversions", "::boostc::train::ProgramOp"> {
  let summary = "THOR: ranks share the inversions of factors";
  let description = [{
    Where an update inverts factors that are summed over all ranks (`thor.damped_inverse`), each
    rank inverts the blocks of its [slice](coll.md#coll-dialect) alone: a reduce-scatter takes the
    place of the all-reduce of the factors, and an all-gather brings the inverses to all. So as
    much is sent as before, and n ranks invert n blocks at a time. Inverses have the bits that
    one rank would compute. All ranks learn how many blocks of a layer have no inverse.

    Factors are exchanged in the order of the flops of a block, so that a rank has as many blocks
    of each cost as any other, or one more.

    Factors that anything else reads stay sums on all ranks, and each rank inverts them: averages
    (`thor.average_factor`) and traces (`thor.split_damping`, `thor.trace_change`) are of all
    blocks. Inverses of this rank's own sums (`by_rank`) stay as they are, too, and so does an
    update whose inversions all together take fewer than `min-flops`: they would not be worth the
    messages.

    Before:
    ```mlir
    %r:4 = coll.all_reduce index(0) over all parameters [@w] (%g, %a, %loss, %count : ...)
    %x, %failed = thor.damped_inverse %r#1 by %r#3 rows 1 positions 1 damping %lambda
        : tensor<7x128x128xf32>
    ```
    After:
    ```mlir
    %r:3 = coll.all_reduce index(0) over all parameters [@w] (%g, %loss, %count : ...)
    %s = coll.reduce_scatter index(1) over all parameters [] (%a : tensor<7x128x128xf32>)
    %mine = coll.own_slice index(2) over all parameters [] (%ones : tensor<7xi64>)
    %own, %own_failed = thor.damped_inverse %s by %r#2 rows 1 positions 1 damping %lambda
        where %mine : tensor<7x128x128xf32>
    %i = arith.extui %own_failed : tensor<i32> to tensor<i64>
    %x = coll.all_gather index(3) over all parameters [] (%own : tensor<7x128x128xf32>)
    %j = coll.all_reduce index(4) over all parameters [] (%i : tensor<i64>)
    %failed = arith.trunci %j : tensor<i64> to tensor<i32>
    ```
  }];
  let options = [
    Option<"minFlops", "min-flops", "int64_t", "32000000",
           "Flops of the inversions of an update from which on they are divided">
  ];
  let dependentDialects = ["::boostc::coll::CollDialect", "::mlir::arith::ArithDialect",
                           "::boostc::thor::ThorDialect"];
}

#endif // BOOSTC_BOOSTC_PASSES
