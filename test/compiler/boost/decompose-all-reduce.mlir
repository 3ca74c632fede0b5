// RUN: boost-opt %s --split-input-file --boostc-decompose-all-reduce | FileCheck %s
// RUN: boost-opt %s --split-input-file --boostc-decompose-all-reduce --boostc-decompose-all-reduce | FileCheck %s
// RUN: boost-opt %s --split-input-file --boostc-decompose-all-reduce --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=PLACE

// Sums begin as before, in their order; gathers follow where the sums are used. What
// serves no parameter stays a sum for all.
// CHECK-LABEL: train.program @buckets
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[LOSS:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}) ->
// CHECK-NEXT: %[[B:.+]] = coll.reduce_scatter index(0) over all parameters [@b](%[[GB]] : tensor<4xf32>)
// CHECK-NEXT: %[[W:.+]] = coll.reduce_scatter index(1) over intra_group parameters [@w](%[[GW]] : tensor<4x3xf32>)
// CHECK-NEXT: %[[REST:.+]]:2 = coll.all_reduce index(2) over intra_group parameters [](%[[LOSS]], %[[COUNT]] : tensor<f32>, tensor<i64>)
// CHECK-NEXT: %[[ALLW:.+]] = coll.all_gather index(3) over intra_group parameters [@w](%[[W]] : tensor<4x3xf32>)
// CHECK-NEXT: %[[MEAN:.+]] = train.divide_gradient %[[ALLW]] by %[[REST]]#1
// CHECK-NEXT: %[[ALLB:.+]] = coll.all_gather index(4) over all parameters [@b](%[[B]] : tensor<4xf32>)
// CHECK-NEXT: return %[[MEAN]], %[[ALLB]], %[[REST]]#0, %[[REST]]#1 :
// PLACE: coll.reduce_scatter {{.*}} loc("b.json":2:2)
// PLACE: coll.all_gather {{.*}} loc("b.json":2:2)
train.program @buckets batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %r = coll.all_reduce index(0) over all parameters [@b] (%gb : tensor<4xf32>) loc("b.json":2:2)
    %s:3 = coll.all_reduce index(1) over intra_group parameters [@w]
        (%gw, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
    %m = train.divide_gradient %s#0 by %s#2 : tensor<4x3xf32>
    return %m, %r, %s#1, %s#2 : tensor<4x3xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

// Who reads the loss has no need of the gathers.
// CHECK-LABEL: train.program @early
// CHECK: coll.reduce_scatter index(0)
// CHECK-NEXT: %[[REST:.+]]:2 = coll.all_reduce index(1)
// CHECK-NEXT: %[[TWICE:.+]] = train.combine %[[REST]]#0, %[[REST]]#0
// CHECK-NEXT: %[[W:.+]] = coll.all_gather index(2)
// CHECK-NEXT: train.divide_gradient %[[W]] by %[[REST]]#1
train.program @early batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %s:3 = coll.all_reduce index(0) over all parameters [@w]
        (%gw, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
    %l = train.combine %s#1, %s#1 : tensor<f32>
    %m = train.divide_gradient %s#0 by %s#2 : tensor<4x3xf32>
    return %m, %l, %s#2 : tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

// Nothing serves a parameter, and a program need not have ranks.
// CHECK-LABEL: train.program @nothing
// CHECK: func.func @update
// CHECK-NEXT: %[[R:.+]]:2 = coll.all_reduce index(0) over all parameters []
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[R]]#0, %[[R]]#1 :
train.program @nothing batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %r:2 = coll.all_reduce index(0) over all parameters []
        (%loss, %count : tensor<f32>, tensor<i64>)
    return %gw, %gb, %r#0, %r#1 : tensor<4x3xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

// CHECK-LABEL: train.program @without_update
// CHECK-NEXT: {{^ *[}]$}}
train.program @without_update batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
