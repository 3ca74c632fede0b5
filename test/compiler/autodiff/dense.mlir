// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradients of a dense layer: of its input, its weight and its bias.
train.program @dense batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<4x5xf32>, %w: tensor<3x5xf32>,
    %b: tensor<3xf32>, %v: tensor<6x3xf32>, %label: tensor<4xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h = nn.dense %x, %w, %b : tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>
    %logits = nn.dense %h, %v : tensor<4x3xf32>, tensor<6x3xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<4x6xf32>, tensor<4xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x5xf32>, %[[W:[a-z0-9]+]]: tensor<3x5xf32>
  // CHECK-SAME: %{{[a-z0-9]+}}: tensor<3xf32>, %[[V:[a-z0-9]+]]: tensor<6x3xf32>
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK: %[[H:.+]] = nn.dense %[[X]], %[[W]]
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DH:.+]] = nn.dense_grad_input %[[DY]], %[[V]]
  // CHECK: %[[DV:.+]] = nn.dense_grad_weight %[[DY]], %[[H]]
  // CHECK: %[[DX:.+]] = nn.dense_grad_input %[[DH]], %[[W]]
  // CHECK: %[[DW:.+]] = nn.dense_grad_weight %[[DH]], %[[X]]
  // CHECK: %[[DB:.+]] = nn.bias_grad %[[DH]], %[[VALID]]
  // CHECK: return %{{.*}}, %{{.*}}, %[[DX]], %[[DW]], %[[DB]], %[[DV]]
  func.func @micro(%x: tensor<4x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>,
    %v: tensor<6x3xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>,
          tensor<6x3xf32>) {
    %sum, %count, %dx, %dw, %db, %dv =
        train.value_and_grad @forward(%x, %w, %b, %v, %label, %valid)
        wrt [0, 1, 2, 3]
        : (tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<6x3xf32>,
            tensor<4xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>,
            tensor<6x3xf32>)
    return %sum, %count, %dx, %dw, %db, %dv
        : tensor<f32>, tensor<i64>, tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>,
          tensor<6x3xf32>
  }
}
