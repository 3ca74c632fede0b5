// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// A dense layer on the last of three dimensions; its bias is summed over the real samples
// and the positions.
train.program @dense batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x5xf32>, %w: tensor<4x5xf32>,
    %b: tensor<4xf32>, %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h = nn.dense %x, %w, %b : tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4xf32>
    %s = nn.mul %h, %h : tensor<3x2x4xf32>
    %logits = nn.flatten %s : tensor<3x2x4xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x8xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x2x5xf32>, %[[W:[a-z0-9]+]]: tensor<4x5xf32>
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK: %[[DX:.+]] = nn.dense_grad_input %[[DH:.+]], %[[W]] : tensor<3x2x4xf32>, tensor<4x5xf32>
  // CHECK: %[[DW:.+]] = nn.dense_grad_weight %[[DH]], %[[X]] : tensor<3x2x4xf32>, tensor<3x2x5xf32>
  // CHECK: %[[DB:.+]] = nn.bias_grad %[[DH]], %[[VALID]] axis 2 : tensor<3x2x4xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DX]], %[[DW]], %[[DB]]
  func.func @micro(%x: tensor<3x2x5xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>,
    %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4xf32>) {
    %sum, %count, %dx, %dw, %db =
        train.value_and_grad @forward(%x, %w, %b, %label, %valid) wrt [0, 1, 2]
        : (tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4xf32>)
    return %sum, %count, %dx, %dw, %db
        : tensor<f32>, tensor<i64>, tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4xf32>
  }
}
