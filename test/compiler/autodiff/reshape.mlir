// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradient of a reshaped value has the shape of the value.
train.program @reshape batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x12xf32>, %b: tensor<2xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %u = nn.reshape %x : tensor<3x12xf32> to tensor<3x2x3x2xf32>
    %z = nn.bias %u, %b axis 1 : tensor<3x2x3x2xf32>, tensor<2xf32>
    %logits = nn.reshape %z : tensor<3x2x3x2xf32> to tensor<3x12xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x12xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DZ:.+]] = nn.reshape %[[DY]] : tensor<3x12xf32> to tensor<3x2x3x2xf32>
  // CHECK: %[[DB:.+]] = nn.bias_grad %[[DZ]]
  // CHECK: %[[DX:.+]] = nn.reshape %[[DZ]] : tensor<3x2x3x2xf32> to tensor<3x12xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DX]], %[[DB]]
  func.func @micro(%x: tensor<3x12xf32>, %b: tensor<2xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x12xf32>, tensor<2xf32>) {
    %sum, %count, %dx, %db =
        train.value_and_grad @forward(%x, %b, %label, %valid)
        wrt [0, 1]
        : (tensor<3x12xf32>, tensor<2xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x12xf32>, tensor<2xf32>)
    return %sum, %count, %dx, %db
        : tensor<f32>, tensor<i64>, tensor<3x12xf32>, tensor<2xf32>
  }
}
