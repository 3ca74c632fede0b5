// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-average-micro-batches | FileCheck %s

// CHECK-LABEL: train.program @sum
// CHECK: %[[M:.+]] = train.divide_gradient %arg0 by %arg2 : tensor<4xf32>
// CHECK: return %[[M]], %arg1, %arg2
train.program @sum batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  func.func @micro(%g: tensor<4xf32>, %loss: tensor<f32>, %count: tensor<i64>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    return %g, %loss, %count : tensor<4xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

// A mean over all samples divides once a step, in @update.
// CHECK-LABEL: train.program @mean
// CHECK-NOT: train.divide_gradient
train.program @mean batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = mean, ranks = sum>} {
  func.func @micro(%g: tensor<4xf32>, %count: tensor<i64>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    return %g, %count : tensor<4xf32>, tensor<i64>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  // expected-error @+1 {{does not return the number of samples, by which its gradients are divided}}
  func.func @micro(%g: tensor<4xf32>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return %g : tensor<4xf32>
  }
}

// -----

// Divided where sum and number are there, so that no other sums are kept.
// CHECK-LABEL: train.program @early
// CHECK: %[[COUNT:.+]] = arith.constant dense<4> : tensor<i64>
// CHECK-NEXT: %[[G:.+]] = arith.addf
// CHECK-NEXT: train.divide_gradient %[[G]] by %[[COUNT]]
// CHECK-NEXT: %[[H:.+]] = arith.mulf
// CHECK-NEXT: train.divide_gradient %[[H]] by %[[COUNT]]
// CHECK-NEXT: return
train.program @early batch_size(4) micro_batches(2) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  func.func @micro(%x: tensor<4xf32>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %count = arith.constant dense<4> : tensor<i64>
    %g = arith.addf %x, %x : tensor<4xf32>
    %h = arith.mulf %x, %x : tensor<4xf32>
    return %g, %h, %count : tensor<4xf32>, tensor<4xf32>, tensor<i64>
  }
}

// -----

// Weighted samples: by the sum of their weights.
// CHECK-LABEL: train.program @weighted
// CHECK: %[[M:.+]] = train.divide_gradient %arg0 by weight %arg2 : tensor<4xf32>
// CHECK: return %[[M]], %arg1, %arg2
train.program @weighted batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  train.input @w weight : tensor<4xf32>
  func.func @micro(%g: tensor<4xf32>, %count: tensor<i64>, %weight: tensor<f32>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>},
          tensor<f32> {rt.binding = #rt.binding<loss_weight>}) {
    return %g, %count, %weight : tensor<4xf32>, tensor<i64>, tensor<f32>
  }
}

// -----

train.program @weightless batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  train.input @w weight : tensor<4xf32>
  // expected-error @+1 {{does not return the sum of sample weights, by which its gradients are divided}}
  func.func @micro(%g: tensor<4xf32>, %count: tensor<i64>)
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    return %g, %count : tensor<4xf32>, tensor<i64>
  }
}
