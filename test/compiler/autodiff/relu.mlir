// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradient passes where the result is positive. The values drawn keep away from
// the kink; relu-tie.mlir has the rule there.
train.program @relu batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h = nn.relu %x : tensor<3x4xf32>
    %z = nn.dense %h, %w : tensor<3x4xf32>, tensor<5x4xf32>
    %logits = nn.relu %z : tensor<3x5xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x5xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[H:.+]] = nn.relu
  // CHECK: %[[Z:.+]] = nn.dense
  // CHECK: %[[Y:.+]] = nn.relu %[[Z]]
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DZ:.+]] = nn.elementwise_grad %[[DY]], %[[Y]] of nn.relu
  // CHECK: %[[DH:.+]] = nn.dense_grad_input %[[DZ]]
  // CHECK: %[[DX:.+]] = nn.elementwise_grad %[[DH]], %[[H]] of nn.relu
  func.func @micro(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>) {
    %sum, %count, %dx, %dw =
        train.value_and_grad @forward(%x, %w, %label, %valid)
        wrt [0, 1]
        : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>)
    return %sum, %count, %dx, %dw
        : tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>
  }
}
