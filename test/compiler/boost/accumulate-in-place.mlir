// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-accumulate-in-place | FileCheck %s

// Gradients where they are made, the number of samples last; what is not a sum stays.
// CHECK-LABEL: train.program @off
// CHECK: func.func @micro(%[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">}
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<loss_sum>}
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<loss_count>}
// CHECK: %[[LOSS:.+]] = arith.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK-NEXT: %[[S:.+]] = train.combine %[[SUM]], %[[LOSS]] of(%[[N]]) : tensor<f32>
// CHECK: %[[COUNT:.+]] = arith.constant dense<4> : tensor<i64>
// CHECK-NEXT: %[[G:.+]] = arith.addf
// CHECK-NEXT: %[[A:.+]] = train.combine %[[W]], %[[G]] of(%[[N]]) : tensor<4xf32>
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: %[[M:.+]] = train.combine %[[N]], %[[COUNT]] of(%[[N]]) : tensor<i64>
// CHECK-NEXT: return %[[A]], %[[S]], %[[M]], %{{.*}} : tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>
train.program @off batch_size(4) micro_batches(3) epochs(1) seed(1) recipe("{}")
    attributes {rt.reproducible = #rt.reproducible<off>} {
  func.func @micro(%x: tensor<4xf32> {rt.binding = #rt.binding<input, "x">})
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}, tensor<4xf32>) {
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<4> : tensor<i64>
    %g = arith.addf %x, %x : tensor<4xf32>
    %h = arith.mulf %x, %x : tensor<4xf32>
    return %g, %loss, %count, %h : tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>
  }
}

// -----

// One micro-batch needs no sum.
// CHECK-LABEL: train.program @one
// CHECK-NOT: train.combine
train.program @one batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.reproducible = #rt.reproducible<off>} {
  func.func @micro() -> (tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %count = arith.constant dense<4> : tensor<i64>
    return %count : tensor<i64>
  }
}

// -----

// CHECK-LABEL: train.program @on
// CHECK-NOT: train.combine
train.program @on batch_size(4) micro_batches(3) epochs(1) seed(1) recipe("{}") {
  func.func @micro() -> (tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %count = arith.constant dense<4> : tensor<i64>
    return %count : tensor<i64>
  }
}

// -----

train.program @p batch_size(4) micro_batches(2) epochs(1) seed(1) recipe("{}")
    attributes {rt.reproducible = #rt.reproducible<off>} {
  // expected-error @+1 {{does not return the number of samples, which tells whether a gradient set is empty}}
  func.func @micro(%g: tensor<4xf32>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return %g : tensor<4xf32>
  }
}
