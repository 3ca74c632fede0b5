// RUN: split-file %s %t
// RUN: boost-opt %t/mean.mlir --boostc-reduce-gradients | FileCheck %t/mean.mlir
// RUN: boost-opt %t/mean.mlir --pass-pipeline='builtin.module(train.program(boostc-reduce-gradients{bucket-bytes=60}))' \
// RUN:   | FileCheck %t/mean.mlir --check-prefix=CUT
// RUN: boost-opt %t/mean.mlir --boostc-reduce-gradients --boostc-reduce-gradients | FileCheck %t/mean.mlir
// RUN: boost-opt %t/mean.mlir --boostc-reduce-gradients --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %t/mean.mlir --check-prefix=PLACE
// RUN: boost-opt %t/others.mlir --split-input-file --boostc-reduce-gradients | FileCheck %t/others.mlir
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-reduce-gradients

//--- mean.mlir
// The last parameter comes first, loss and count are with the first one; sums have the
// memory of what is summed. 16 and 48 bytes are two buckets where one has 60 at most.
// CHECK-LABEL: func.func @update
// CHECK-SAME: (%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %{{[a-z0-9]+}}: tensor<i32> {rt.binding = #rt.binding<failed>})
// CHECK-SAME: tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}, tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>})
// CHECK-NEXT: %[[R:.+]]:4 = coll.all_reduce index(0) over all parameters [@b, @w](%[[GB]], %[[GW]], %[[LOSS]], %[[COUNT]] : tensor<4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>)
// CHECK-NEXT: %[[F:.+]], %{{.+}} = train.commit count(%[[R]]#3) after(%{{.*}}) finite(%[[R]]#2, %[[R]]#1, %[[R]]#0 :
// CHECK-NEXT: %[[MW:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#3
// CHECK-NEXT: %[[MB:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#3
// CHECK-NEXT: %[[W1:.+]] = train.sgd %[[W]], %[[MW]],
// CHECK-NEXT: %[[B1:.+]] = train.sgd %[[B]], %[[MB]],
// CHECK-NEXT: return %[[W1]], %[[B1]], %[[F]], %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3 :
// CUT: %[[FIRST:.+]] = coll.all_reduce index(0) over all parameters [@b](%{{.*}} : tensor<4xf32>)
// CUT-NEXT: %[[SECOND:.+]]:3 = coll.all_reduce index(1) over all parameters [@w](%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
// CUT-NEXT: train.commit count(%[[SECOND]]#2) after(%{{.*}}) finite(%[[SECOND]]#1, %[[SECOND]]#0, %[[FIRST]] :
// PLACE: coll.all_reduce {{.*}} loc(fused["b.json":2:2, "w.json":1:1])
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32> loc("w.json":1:1)
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32> loc("b.json":2:2)
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %w1, %b1, %applied : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

//--- others.mlir
// That is exchanged where there is no gradient, too.
// CHECK-LABEL: train.program @alone
// CHECK: func.func @update(%[[F:[a-z0-9]+]]: tensor<4xf32> {{.*}}) -> tensor<4xf32>
// CHECK-NEXT: %[[TWICE:.+]] = arith.addf %[[F]], %[[F]]
// CHECK-NEXT: %[[S:.+]] = coll.all_reduce index(0) over all parameters [](%[[TWICE]] : tensor<4xf32>)
// CHECK-NEXT: return %[[S]]
train.program @alone batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.accumulator @f : tensor<4xf32>
  func.func @update(%f: tensor<4xf32> {rt.binding = #rt.binding<accumulator, "f">}) -> tensor<4xf32> {
    %twice = arith.addf %f, %f : tensor<4xf32>
    %s = train.rank_sum %twice : tensor<4xf32>
    return %s : tensor<4xf32>
  }
}

// -----

// What is computed of a rank's own sums comes before any is exchanged; sums that nothing else reads are
// not exchanged.
// CHECK-LABEL: train.program @own
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[F:[a-z0-9]+]]: tensor<1x3x3xf32> {rt.binding = #rt.binding<accumulator, "f">}, %[[H:[a-z0-9]+]]: tensor<1x3x3xf32> {rt.binding = #rt.binding<accumulator, "h">}, %[[LOSS:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %[[COUNT:[a-z0-9]+]]:
// CHECK-NEXT: %[[OWN:.+]], %{{.+}} = thor.damped_inverse %[[F]] by %[[COUNT]]
// CHECK-NEXT: %[[BOTH:.+]] = arith.addf %[[OWN]], %[[H]]
// CHECK-NEXT: %[[HAS:.+]] = train.has_samples %[[COUNT]]
// CHECK-NEXT: %[[R:.+]]:6 = coll.all_reduce index(0) over all parameters [@w](%[[GW]], %[[BOTH]], %[[HAS]], %[[H]], %[[LOSS]], %[[COUNT]] :
// CHECK-NEXT: train.commit count(%[[R]]#5)
// CHECK: %[[MEAN:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#2 : tensor<1x3x3xf32>
// CHECK: arith.addf %[[MEAN]], %[[R]]#3
train.program @own batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.accumulator @f : tensor<1x3x3xf32>
  train.accumulator @h : tensor<1x3x3xf32>
  train.state @s "s" : tensor<1x3x3xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %f: tensor<1x3x3xf32> {rt.binding = #rt.binding<accumulator, "f">},
                    %h: tensor<1x3x3xf32> {rt.binding = #rt.binding<accumulator, "h">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<1x3x3xf32> {rt.binding = #rt.binding<state, "s">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %x, %bad = thor.damped_inverse %f by %count rows 1 positions 1 damping %lr : tensor<1x3x3xf32>
    %both = arith.addf %x, %h : tensor<1x3x3xf32>
    %sum = train.rank_sum %both : tensor<1x3x3xf32>
    %has = train.has_samples %count
    %ranks = train.rank_sum %has : tensor<i64>
    %mean = train.divide_gradient %sum by %ranks : tensor<1x3x3xf32>
    %s = arith.addf %mean, %h : tensor<1x3x3xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %s, %applied : tensor<4x3xf32>, tensor<1x3x3xf32>, tensor<i32>
  }
}

// -----

// The number of ranks with samples is summed with the rest and divided by.
// CHECK-LABEL: train.program @sum_mean
// CHECK: %[[HAS:.+]] = train.has_samples %[[COUNT:.+]]
// CHECK-NEXT: %[[R:.+]]:5 = coll.all_reduce index(0) over all parameters [@b, @w](%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]], %[[HAS]] :
// CHECK-NEXT: train.commit count(%[[R]]#3) after(%{{.*}}) finite(%[[R]]#2, %[[R]]#1, %[[R]]#0 :
// CHECK-NEXT: train.divide_gradient %[[R]]#1 by %[[R]]#4
// CHECK-NEXT: train.divide_gradient %[[R]]#0 by %[[R]]#4
train.program @sum_mean batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %w1, %b1, %applied : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// -----

// Ranks' means are summed: each is made in front.
// CHECK-LABEL: train.program @mean_sum
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: tensor
// CHECK-DAG: %[[MW:.+]] = train.divide_gradient %[[GW]] by %[[COUNT]]
// CHECK-DAG: %[[MB:.+]] = train.divide_gradient %[[GB]] by %[[COUNT]]
// CHECK: %[[R:.+]]:4 = coll.all_reduce index(0) over all parameters [@b, @w](%[[MB]], %[[MW]], %[[LOSS]], %[[COUNT]] :
// CHECK-NEXT: train.commit count(%[[R]]#3) after(%{{.*}}) finite(%[[R]]#2, %[[R]]#1, %[[R]]#0 :
// CHECK-NEXT: train.sgd %{{.*}}, %[[R]]#1,
// CHECK-NEXT: train.sgd %{{.*}}, %[[R]]#0,
train.program @mean_sum batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = mean, ranks = sum>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %w1, %b1, %applied : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// -----

// Gradients of micro-batches are means already.
// CHECK-LABEL: train.program @sum_sum
// CHECK-NOT: train.divide_gradient
// CHECK: %[[R:.+]]:4 = coll.all_reduce
// CHECK-NEXT: train.commit count(%[[R]]#3) after(%{{.*}}) finite(%[[R]]#2,
// CHECK-NEXT: train.sgd %{{.*}}, %[[R]]#1,
train.program @sum_sum batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = sum>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %w1, %b1, %applied : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// -----

// A declared accumulator is summed over ranks, whatever becomes of gradients.
// CHECK-LABEL: train.program @accumulator
// CHECK: func.func @update({{.*}}%[[SUM:[a-z0-9]+]]: tensor<3xf32> {rt.binding = #rt.binding<accumulator, "norm.sum">}
// CHECK: %[[R:.+]]:4 = coll.all_reduce index(0) over all parameters [@w](%{{.*}}, %[[SUM]], %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<3xf32>, tensor<f32>, tensor<i64>)
// CHECK-NEXT: train.commit count(%[[R]]#3) after(%{{.*}}) finite(%[[R]]#2, %[[R]]#0, %[[R]]#1 :
// CHECK-NEXT: train.sgd %{{.*}}, %[[R]]#0,
// CHECK-NEXT: %[[M:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#3
// CHECK-NEXT: train.apply_delta %[[M]]
train.program @accumulator batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = mean, ranks = sum>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.accumulator @norm.sum : tensor<3xf32>
  train.state @norm.mean "mean" saved with_weights : tensor<3xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %sum: tensor<3xf32> {rt.binding = #rt.binding<accumulator, "norm.sum">},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %mean: tensor<3xf32> {rt.binding = #rt.binding<state, "norm.mean">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<3xf32> {rt.binding = #rt.binding<state, "norm.mean">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %sum : tensor<f32>, tensor<4x3xf32>, tensor<3xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %m = train.divide_gradient %sum by %count : tensor<3xf32>
    %mean1 = train.apply_delta %m to %mean if %applied : tensor<3xf32>
    return %w1, %mean1, %applied : tensor<4x3xf32>, tensor<3xf32>, tensor<i32>
  }
}

// -----

// The first probe or update that takes a sum has it summed; those after it find that.
// CHECK-LABEL: train.program @phases
// CHECK: func.func @direction(%[[GW:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: tensor<i64>
// CHECK-NEXT: %{{.+}}:3 = coll.all_reduce index(0) over all parameters [@w](%[[GW]], %[[LOSS]], %[[COUNT]] :
// CHECK: func.func @judge(%[[TRIAL:[a-z0-9]+]]: {{.*}}, %[[COUNT2:[a-z0-9]+]]: {{.*}}, %[[GW2:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: %{{.+}}:2 = coll.all_reduce index(1) over all parameters [](%[[TRIAL]], %[[COUNT2]] :
// CHECK: func.func @update
// CHECK-NOT: coll.all_reduce
// CHECK: func.func @update_again
// CHECK-NEXT: %{{.+}}:3 = coll.all_reduce index(2) over all parameters [@w]
train.program @phases batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<3xf32>
  train.accumulator @trial.loss : tensor<f32>
  train.variant @kept
      phases [#train.phase<micro = @micro, probe = @direction>,
              #train.phase<micro = @trial, probe = @judge, repeats = true>]
      update(@update) on [#train.steps<every = 2>]
  train.variant @again
      phases [#train.phase<micro = @micro, probe = @direction>] micro(@micro) update(@update_again)
  func.func @micro() -> (tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                         tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %g, %loss, %count : tensor<3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @trial() -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @direction(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  func.func @judge(%trial: tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                   %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                   %gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">}) { return }
  func.func @update(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  func.func @update_again(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
}

//--- errors.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{lacks an argument for the loss or for the number of samples, which ranks sum}}
  func.func @update(%g: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}) {
    return
  }
}

// -----

// A repetition would sum it again.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step
      phases [#train.phase<micro = @micro, probe = @direction>,
              #train.phase<micro = @trial, probe = @judge, repeats = true>]
      update(@update)
  func.func @micro() -> (tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                         tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %g, %loss, %count : tensor<3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @trial() -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @direction(%count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  // expected-error @+1 {{is the probe of a phase that repeats and the first to take #rt.binding<loss_sum>, which an earlier phase sums; expected the probe of that phase to take it, where ranks sum it once}}
  func.func @judge(%loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}) { return }
  func.func @update() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step
      phases [#train.phase<micro = @micro, probe = @direction>,
              #train.phase<micro = @trial, probe = @direction>]
      update(@update)
  func.func @micro() -> (tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                         tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %g, %loss, %count : tensor<3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @trial() -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  // expected-error @+1 {{takes sums of this rank in one phase and the same sums over all ranks in another one; expected a function for each}}
  func.func @direction(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  func.func @update() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = mean, ranks = sum>} {
  train.variant @step phases [#train.phase<micro = @micro, probe = @direction>] update(@update)
  func.func @micro() -> (tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                         tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %g, %loss, %count : tensor<3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @trial() -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @direction(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  func.func @update(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    // expected-error @+1 {{divides a gradient that an earlier phase has summed, which is implemented for #train.averaging<micro_batches = mean, ranks = mean> alone; found #train.averaging<micro_batches = mean, ranks = sum>}}
    %mean = train.divide_gradient %gw by %count : tensor<3xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  train.variant @step phases [#train.phase<micro = @micro, probe = @direction>] update(@update)
  func.func @micro() -> (tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                         tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %g, %loss, %count : tensor<3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @trial() -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "trial.loss">},
                         tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %count = arith.constant dense<0> : tensor<i64>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @direction(%count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) { return }
  // expected-error @+1 {{takes gradients of this rank and the number of samples of all ranks, which is implemented for #train.averaging<micro_batches = mean, ranks = mean> alone; found #train.averaging<micro_batches = sum, ranks = mean>}}
  func.func @update(%gw: tensor<3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    return
  }
}
