// RUN: split-file %s %t
// RUN: boost-opt %t/modes.mlir --split-input-file --pass-pipeline='builtin.module(train.program(boostc-reduce-gradients,boostc-combine-by-adasum))' \
// RUN:   | FileCheck %t/modes.mlir
// RUN: boost-opt %t/vectors.mlir --split-input-file \
// RUN:   --pass-pipeline='builtin.module(train.program(boostc-reduce-gradients{bucket-bytes=60},boostc-combine-by-adasum))' \
// RUN:   | FileCheck %t/vectors.mlir
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-combine-by-adasum

//--- modes.mlir
// Groups average, their means are combined; the report sees all samples.
// CHECK-LABEL: train.program @gradient
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %{{[a-z0-9]+}}: tensor<i32> {rt.binding = #rt.binding<failed>})
// CHECK-NEXT: %[[R:.+]]:3 = coll.all_reduce index(0) over intra_group parameters [@b, @w](%[[GB]], %[[GW]], %[[COUNT]] : tensor<4xf32>, tensor<4x3xf32>, tensor<i64>)
// CHECK-NEXT: %[[S:.+]]:2 = coll.all_reduce index(1) over all parameters [](%[[LOSS]], %[[COUNT]] : tensor<f32>, tensor<i64>)
// CHECK-NEXT: %[[MB:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#2
// CHECK-NEXT: %[[MW:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#2
// CHECK-NEXT: %[[A:.+]]:2 = coll.adasum index(2) over inter_group parameters [@b, @w] groups [1, 0](%[[MB]], %[[MW]] :
// CHECK-NEXT: %[[F:.+]], %{{.+}} = train.commit count(%[[S]]#1) after(%{{.*}}) finite(%[[S]]#0, %[[A]]#1, %[[A]]#0 :
// CHECK-NEXT: %[[W1:.+]] = train.sgd %[[W]], %[[A]]#1,
// CHECK-NEXT: %[[B1:.+]] = train.sgd %[[B]], %[[A]]#0,
// CHECK-NEXT: return %[[W1]], %[[B1]], %[[F]], %[[A]]#0, %[[A]]#1, %[[S]]#0, %[[S]]#1
train.program @gradient batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, per_tensor, auto, cuts = []>} {
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

// Each group's rules make deltas; those are combined and added.
// CHECK-LABEL: train.program @delta
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %{{[a-z0-9]+}}: tensor<i32> {rt.binding = #rt.binding<failed>})
// CHECK-NEXT: %[[R:.+]]:3 = coll.all_reduce index(0) over intra_group parameters [@b, @w](%[[GB]], %[[GW]], %[[COUNT]] :
// CHECK-NEXT: %[[NF:.+]] = train.not_finite(%[[LOSS]], %[[R]]#0, %[[R]]#1 :
// CHECK-NEXT: %[[S:.+]]:3 = coll.all_reduce index(1) over all parameters [](%[[LOSS]], %[[COUNT]], %[[NF]] :
// CHECK-NEXT: %[[F:.+]], %{{.+}} = train.commit count(%[[S]]#1) after(%{{.*}}) nonfinite_ranks(%[[S]]#2) on_nonfinite fail
// CHECK-NEXT: %[[MW:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#2
// CHECK-NEXT: %[[MB:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#2
// CHECK-NEXT: %[[DW:.+]] = train.sgd %[[W]], %[[MW]], {{.*}} if %[[F]] delta
// CHECK-NEXT: %[[DB:.+]] = train.sgd %[[B]], %[[MB]], {{.*}} if %[[F]] delta
// CHECK-NEXT: %[[A:.+]]:2 = coll.adasum index(2) over inter_group parameters [@b, @w] groups [1, 0](%[[DB]], %[[DW]] :
// CHECK-NEXT: %[[B1:.+]] = train.apply_delta %[[A]]#0 to %[[B]] if %[[F]]
// CHECK-NEXT: %[[W1:.+]] = train.apply_delta %[[A]]#1 to %[[W]] if %[[F]]
// CHECK-NEXT: return %[[W1]], %[[B1]], %[[F]], %[[A]]#0, %[[A]]#1, %[[S]]#0, %[[S]]#1
train.program @delta batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, per_tensor, auto, cuts = []>} {
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

// Gradients are divided by the scales of their groups before they are combined, and all ranks have what
// any of them finds in a group.
// CHECK-LABEL: train.program @scaled_gradient
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[S1:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "s1">}, %[[O1:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<state, "o1">}, %{{.+}})
// CHECK-NEXT: %[[S2:.+]] = arith.constant dense<8.000000e+00>
// CHECK-NEXT: %[[R:.+]]:3 = coll.all_reduce index(0) over intra_group parameters [@b, @w](%[[GB]], %[[GW]], %[[COUNT]] :
// CHECK-NEXT: %[[N:.+]] = train.not_finite(%[[R]]#1 : tensor<4x3xf32>)
// CHECK-NEXT: %[[S:.+]]:3 = coll.all_reduce index(1) over all parameters [](%[[LOSS]], %[[COUNT]], %[[N]] :
// CHECK-NEXT: %[[MB:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#2
// CHECK-NEXT: %[[UB:.+]] = train.unscale_gradient %[[MB]] by %[[S2]] :
// CHECK-NEXT: %[[MW:.+]] = train.divide_gradient %[[R]]#1 by %[[R]]#2
// CHECK-NEXT: %[[UW:.+]] = train.unscale_gradient %[[MW]] by %[[S1]] :
// CHECK-NEXT: %[[A:.+]]:2 = coll.adasum index(2) over inter_group parameters [@b, @w] groups [0, 0](%[[UB]], %[[UW]] :
// CHECK-NEXT: train.commit
// CHECK-NEXT: train.sgd %[[W]], %[[A]]#1,
// CHECK-NEXT: train.sgd %[[B]], %[[A]]#0,
// CHECK-NEXT: train.adjust_group_scale %[[S1]], %[[O1]] of %[[S]]#1 nonfinite %[[S]]#2
train.program @scaled_gradient batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, whole, auto, cuts = []>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %s1: tensor<f32> {rt.binding = #rt.binding<state, "s1">},
                    %o1: tensor<i64> {rt.binding = #rt.binding<state, "o1">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<f32> {rt.binding = #rt.binding<state, "s1">},
          tensor<i64> {rt.binding = #rt.binding<state, "o1">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite skip
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %uw = train.unscale_gradient %mw by %s1 : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %s2 = arith.constant dense<8.0> : tensor<f32>
    %ub = train.unscale_gradient %mb by %s2 : tensor<4xf32>
    %w1 = train.sgd %w, %uw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %ub, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %n = train.not_finite (%gw : tensor<4x3xf32>)
    %t1, %p1 = train.adjust_group_scale %s1, %o1 of %count nonfinite %n
    return %w1, %b1, %t1, %p1, %applied : tensor<4x3xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<i32>
  }
}

// -----

// The same where deltas are combined.
// CHECK-LABEL: train.program @scaled_delta
// CHECK: %[[R:.+]]:2 = coll.all_reduce index(0) over intra_group parameters [@w](%{{.+}}, %[[COUNT:.+]] :
// CHECK-NEXT: %[[N:.+]] = train.not_finite(%[[R]]#0 : tensor<4x3xf32>)
// CHECK-NEXT: %[[OWN:.+]] = train.not_finite(%[[LOSS:.+]], %[[R]]#0 :
// CHECK-NEXT: %[[S:.+]]:4 = coll.all_reduce index(1) over all parameters [](%[[LOSS]], %[[COUNT]], %[[N]], %[[OWN]] :
// CHECK-NEXT: train.commit count(%[[S]]#1) after(%{{.*}}) nonfinite_ranks(%[[S]]#3) on_nonfinite skip
// CHECK-NEXT: %[[M:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#1
// CHECK-NEXT: %[[U:.+]] = train.unscale_gradient %[[M]] by %[[S1:.+]] :
// CHECK-NEXT: %[[D:.+]] = train.sgd %{{.+}}, %[[U]], {{.*}} delta
// CHECK: train.adjust_group_scale %[[S1]], %{{.+}} of %[[S]]#1 nonfinite %[[S]]#2
train.program @scaled_delta batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, per_tensor, auto, cuts = []>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %s1: tensor<f32> {rt.binding = #rt.binding<state, "s1">},
                    %o1: tensor<i64> {rt.binding = #rt.binding<state, "o1">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<f32> {rt.binding = #rt.binding<state, "s1">},
          tensor<i64> {rt.binding = #rt.binding<state, "o1">}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %gw : tensor<f32>, tensor<4x3xf32>) on_nonfinite skip
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %uw = train.unscale_gradient %mw by %s1 : tensor<4x3xf32>
    %w1 = train.sgd %w, %uw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %n = train.not_finite (%gw : tensor<4x3xf32>)
    %t1, %p1 = train.adjust_group_scale %s1, %o1 of %count nonfinite %n
    return %w1, %t1, %p1 : tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

// What is summed is not divided again.
// CHECK-LABEL: train.program @sums
// CHECK: %[[R:.+]]:2 = coll.all_reduce index(0) over intra_group parameters [@b, @w](%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4x3xf32>)
// CHECK-NOT: train.divide_gradient
// CHECK: coll.adasum index(2) over inter_group parameters [@b, @w] groups [1, 0](%[[R]]#0, %[[R]]#1 :
train.program @sums batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = sum>, train.adasum = #train.adasum<gradient, per_tensor, ranks, cuts = []>} {
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

// The inner group's number of ranks with samples.
// CHECK-LABEL: train.program @contributors
// CHECK: %[[HAS:.+]] = train.has_samples
// CHECK: %[[R:.+]]:3 = coll.all_reduce index(0) over intra_group parameters [@b, @w](%{{.*}}, %{{.*}}, %[[HAS]] :
// CHECK: train.divide_gradient %[[R]]#1 by %[[R]]#2
// CHECK-NEXT: train.divide_gradient %[[R]]#0 by %[[R]]#2
train.program @contributors batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>, train.adasum = #train.adasum<delta, per_tensor, servers, cuts = []>} {
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

// Not asked for.
// CHECK-LABEL: train.program @none
// CHECK: coll.all_reduce index(0) over all
// CHECK-NOT: coll.adasum
train.program @none batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {} {
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

// An accumulator other than a gradient is summed over all ranks; all test the sum.
// CHECK-LABEL: train.program @accumulator_gradient
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[SUM:[a-z0-9]+]]: tensor<3xf32> {rt.binding = #rt.binding<accumulator, "norm.sum">}
// CHECK-NEXT: %[[R:.+]]:2 = coll.all_reduce index(0) over intra_group parameters [@w](%[[GW]], %[[COUNT]] :
// CHECK-NEXT: %[[S:.+]]:3 = coll.all_reduce index(1) over all parameters [](%[[SUM]], %[[LOSS]], %[[COUNT]] :
// CHECK-NEXT: %[[M:.+]] = train.divide_gradient %[[R]]#0 by %[[R]]#1
// CHECK-NEXT: %[[A:.+]] = coll.adasum index(2) over inter_group parameters [@w] groups [0](%[[M]] :
// CHECK-NEXT: train.commit count(%[[S]]#2) after(%{{.*}}) finite(%[[S]]#1, %[[A]], %[[S]]#0 :
// CHECK-NEXT: train.sgd %{{.*}}, %[[A]],
// CHECK-NEXT: train.divide_gradient %[[S]]#0 by %[[S]]#2
train.program @accumulator_gradient batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, per_tensor, auto, cuts = []>} {
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

// An accumulator other than a gradient is summed over all ranks; all test the sum.
// CHECK-LABEL: train.program @accumulator_delta
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[SUM:[a-z0-9]+]]: tensor<3xf32> {rt.binding = #rt.binding<accumulator, "norm.sum">}
// CHECK-NEXT: %[[R:.+]]:2 = coll.all_reduce index(0) over intra_group parameters [@w](%[[GW]], %[[COUNT]] :
// CHECK-NEXT: %[[NF:.+]] = train.not_finite(%[[LOSS]], %[[R]]#0 :
// CHECK-NEXT: %[[S:.+]]:4 = coll.all_reduce index(1) over all parameters [](%[[SUM]], %[[LOSS]], %[[COUNT]], %[[NF]] :
// CHECK-NEXT: train.commit count(%[[S]]#2) after(%{{.*}}) nonfinite_ranks(%[[S]]#3) finite(%[[S]]#0 : tensor<3xf32>)
// CHECK: train.divide_gradient %[[S]]#0 by %[[S]]#2
train.program @accumulator_delta batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, per_tensor, auto, cuts = []>} {
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

//--- vectors.mlir
// Two buckets: per tensor they stay two, and what is one vector is in one collective.
// CHECK-LABEL: train.program @per_tensor
// CHECK: coll.all_reduce index(0) over intra_group parameters [@b]
// CHECK: coll.all_reduce index(1) over intra_group parameters [@w]
// CHECK: coll.adasum index(3) over inter_group parameters [@b] groups [1]
// CHECK: coll.adasum index(4) over inter_group parameters [@w] groups [0]
train.program @per_tensor batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, per_tensor, auto, cuts = []>} {
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

// CHECK-LABEL: train.program @per_group
// CHECK: coll.adasum index(3) over inter_group parameters [@b] groups [1]
// CHECK: coll.adasum index(4) over inter_group parameters [@w] groups [0]
train.program @per_group batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, per_group, auto, cuts = [1]>} {
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

// CHECK-LABEL: train.program @whole
// CHECK: coll.adasum index(3) over inter_group parameters [@b, @w] groups [0, 0]
// CHECK-NOT: coll.adasum
train.program @whole batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<gradient, whole, auto, cuts = []>} {
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

//--- errors.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, whole, auto, cuts = []>} {
  // expected-error @+1 {{expected gradients that are summed over ranks and one train.commit, found 0 all-reduces and 0 commits}}
  func.func @update() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, whole, auto, cuts = []>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4xf32>
  // expected-error @+1 {{has no rule for parameter @w, whose gradient ranks sum}}
  func.func @update(%g: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %r:3 = coll.all_reduce index(0) over all parameters [@w]
        (%g, %loss, %count : tensor<4xf32>, tensor<f32>, tensor<i64>)
    %applied, %failed = train.commit count(%r#2) after(%before)
        finite(%r#1, %r#0 : tensor<f32>, tensor<4xf32>) on_nonfinite fail
    %mean = train.divide_gradient %r#0 by %r#2 : tensor<4xf32>
    return
  }
}
