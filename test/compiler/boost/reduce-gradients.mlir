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
// CHECK-SAME: (%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %{{[a-z0-9]+}}: tensor<i32> {rt.binding = #rt.binding<finite>})
// CHECK-SAME: tensor<i32> {rt.binding = #rt.binding<finite>}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}, tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>})
// CHECK-NEXT: %[[R:.+]]:4 = coll.all_reduce index(0) over all parameters [@b, @w](%[[GB]], %[[GW]], %[[LOSS]], %[[COUNT]] : tensor<4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>)
// CHECK-NEXT: %[[U:.+]]:2, %[[F:.+]] = train.update loss(%[[R]]#2) count(%[[R]]#3) after(%{{.*}}) gradients(%[[R]]#1, %[[R]]#0 : {{.*}}) current(%[[W]], %[[B]] :
// CHECK: return %[[U]]#0, %[[U]]#1, %[[F]], %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3 :
// CUT: %[[FIRST:.+]] = coll.all_reduce index(0) over all parameters [@b](%{{.*}} : tensor<4xf32>)
// CUT-NEXT: %[[SECOND:.+]]:3 = coll.all_reduce index(1) over all parameters [@w](%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
// CUT-NEXT: train.update loss(%[[SECOND]]#1) count(%[[SECOND]]#2) after(%{{.*}}) gradients(%[[SECOND]]#0, %[[FIRST]] :
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
                    %before: tensor<i32> {rt.binding = #rt.binding<finite>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<finite>}) {
    %r:2, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%gw, %gb : tensor<4x3xf32>, tensor<4xf32>)
        current(%w, %b : tensor<4x3xf32>, tensor<4xf32>) {
    ^bb0(%mw: tensor<4x3xf32>, %mb: tensor<4xf32>):
      %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 : tensor<4x3xf32>
      %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 : tensor<4xf32>
      train.yield %w1, %b1 : tensor<4x3xf32>, tensor<4xf32>
    }
    return %r#0, %r#1, %finite : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

//--- others.mlir
// The number of ranks with samples is summed with the rest and divided by.
// CHECK-LABEL: train.program @sum_mean
// CHECK: %[[HAS:.+]] = train.has_samples %[[COUNT:.+]]
// CHECK-NEXT: %[[R:.+]]:5 = coll.all_reduce index(0) over all parameters [@b, @w](%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]], %[[HAS]] :
// CHECK-NEXT: train.update loss(%[[R]]#2) count(%[[R]]#3) after(%{{.*}}) divisor(%[[R]]#4) gradients(%[[R]]#1, %[[R]]#0 :
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
                    %before: tensor<i32> {rt.binding = #rt.binding<finite>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<finite>}) {
    %r:2, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%gw, %gb : tensor<4x3xf32>, tensor<4xf32>)
        current(%w, %b : tensor<4x3xf32>, tensor<4xf32>) {
    ^bb0(%mw: tensor<4x3xf32>, %mb: tensor<4xf32>):
      %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 : tensor<4x3xf32>
      %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 : tensor<4xf32>
      train.yield %w1, %b1 : tensor<4x3xf32>, tensor<4xf32>
    }
    return %r#0, %r#1, %finite : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// -----

// Ranks' means are summed: each is made in front.
// CHECK-LABEL: train.program @mean_sum
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: {{.*}}, %{{[a-z0-9]+}}: tensor
// CHECK-DAG: %[[MW:.+]] = train.divide_gradient %[[GW]] by %[[COUNT]]
// CHECK-DAG: %[[MB:.+]] = train.divide_gradient %[[GB]] by %[[COUNT]]
// CHECK: %[[R:.+]]:4 = coll.all_reduce index(0) over all parameters [@b, @w](%[[MB]], %[[MW]], %[[LOSS]], %[[COUNT]] :
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<i64>
// CHECK: train.update loss(%[[R]]#2) count(%[[R]]#3) after(%{{.*}}) divisor(%[[ONE]]) gradients(%[[R]]#1, %[[R]]#0 :
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
                    %before: tensor<i32> {rt.binding = #rt.binding<finite>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<finite>}) {
    %r:2, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%gw, %gb : tensor<4x3xf32>, tensor<4xf32>)
        current(%w, %b : tensor<4x3xf32>, tensor<4xf32>) {
    ^bb0(%mw: tensor<4x3xf32>, %mb: tensor<4xf32>):
      %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 : tensor<4x3xf32>
      %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 : tensor<4xf32>
      train.yield %w1, %b1 : tensor<4x3xf32>, tensor<4xf32>
    }
    return %r#0, %r#1, %finite : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// -----

// Gradients of micro-batches are means already.
// CHECK-LABEL: train.program @sum_sum
// CHECK-NOT: train.divide_gradient
// CHECK: %[[R:.+]]:4 = coll.all_reduce
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<i64>
// CHECK: train.update loss(%[[R]]#2) count(%[[R]]#3) after(%{{.*}}) divisor(%[[ONE]])
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
                    %before: tensor<i32> {rt.binding = #rt.binding<finite>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<i32> {rt.binding = #rt.binding<finite>}) {
    %r:2, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%gw, %gb : tensor<4x3xf32>, tensor<4xf32>)
        current(%w, %b : tensor<4x3xf32>, tensor<4xf32>) {
    ^bb0(%mw: tensor<4x3xf32>, %mb: tensor<4xf32>):
      %w1 = train.sgd %w, %mw, %lr weight_decay 0.0 : tensor<4x3xf32>
      %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 : tensor<4xf32>
      train.yield %w1, %b1 : tensor<4x3xf32>, tensor<4xf32>
    }
    return %r#0, %r#1, %finite : tensor<4x3xf32>, tensor<4xf32>, tensor<i32>
  }
}

//--- errors.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{lacks an argument for the loss or for the number of samples, which ranks sum}}
  func.func @update(%g: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}) {
    return
  }
}
