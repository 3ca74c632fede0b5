// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'
// RUN: boost-interpret %s --function=tied --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Gradients of a value with several uses are summed, once per use after the first; %w is
// used by two layers, %h by three ops, one of them twice.
train.program @several_uses batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>,
                             %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h = nn.dense %x, %w : tensor<3x4xf32>, tensor<4x4xf32>
    %a = nn.dense %h, %w : tensor<3x4xf32>, tensor<4x4xf32>
    %b = nn.add %h, %h : tensor<3x4xf32>
    %c = nn.relu %h : tensor<3x4xf32>
    %ab = nn.add %a, %b : tensor<3x4xf32>
    %logits = nn.add %ab, %c : tensor<3x4xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x4xf32>, %[[W:[a-z0-9]+]]: tensor<4x4xf32>
  // CHECK: %[[H:.+]] = nn.dense %[[X]], %[[W]]
  // CHECK: %[[C:.+]] = nn.relu %[[H]]
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DH1:.+]] = nn.elementwise_grad %[[DY]], %[[C]] of nn.relu
  // CHECK: %[[DH2:.+]] = nn.add %[[DH1]], %[[DY]]
  // CHECK: %[[DH3:.+]] = nn.add %[[DH2]], %[[DY]]
  // CHECK: %[[VIA_A:.+]] = nn.dense_grad_input %[[DY]], %[[W]]
  // CHECK: %[[DW1:.+]] = nn.dense_grad_weight %[[DY]], %[[H]]
  // CHECK: %[[DH:.+]] = nn.add %[[DH3]], %[[VIA_A]]
  // CHECK: %[[DX:.+]] = nn.dense_grad_input %[[DH]], %[[W]]
  // CHECK: %[[DW2:.+]] = nn.dense_grad_weight %[[DH]], %[[X]]
  // CHECK: %[[DW:.+]] = nn.add %[[DW1]], %[[DW2]]
  // CHECK: return %{{.*}}, %{{.*}}, %[[DX]], %[[DW]]
  func.func @micro(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>, %label: tensor<3xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>) {
    %sum, %count, %dx, %dw =
        train.value_and_grad @forward(%x, %w, %label, %valid) wrt [0, 1]
        : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>)
    return %sum, %count, %dx, %dw
        : tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>
  }

  func.func private @two_layers(%x: tensor<3x4xf32>, %w1: tensor<4x4xf32>,
                                %w2: tensor<4x4xf32>, %label: tensor<3xi32>,
                                %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %h = nn.dense %x, %w1 : tensor<3x4xf32>, tensor<4x4xf32>
    %logits = nn.dense %h, %w2 : tensor<3x4xf32>, tensor<4x4xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // One value handed to two arguments: the gradient of each is its own.
  // CHECK-LABEL: func.func @tied
  // CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x4xf32>, %[[W:[a-z0-9]+]]: tensor<4x4xf32>
  // CHECK: %[[H:.+]] = nn.dense %[[X]], %[[W]]
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DH:.+]] = nn.dense_grad_input %[[DY]], %[[W]]
  // CHECK: %[[DW2:.+]] = nn.dense_grad_weight %[[DY]], %[[H]]
  // CHECK: %[[DW1:.+]] = nn.dense_grad_weight %[[DH]], %[[X]]
  // CHECK-NOT: nn.add
  // CHECK: return %[[DW1]], %[[DW2]]
  func.func @tied(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>, %label: tensor<3xi32>,
                  %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %sum, %count, %dw1, %dw2 =
        train.value_and_grad @two_layers(%x, %w, %w, %label, %valid) wrt [1, 2]
        : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x4xf32>, tensor<4x4xf32>)
    return %dw1, %dw2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
