// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward,boostc-lower-to-linalg))'

// Vectors that are scaled to length 1, and with the second epsilon some that are shorter than
// it, on which both branches of the gradient are taken.
train.program @l2_normalize batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4x5xf32>, %w: tensor<7x20xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %m = nn.l2_normalize %x epsilon 1.0e-4 : tensor<3x4x5xf32>
    %n = nn.l2_normalize %m epsilon 2.0 : tensor<3x4x5xf32>
    %f = nn.flatten %n : tensor<3x4x5xf32>
    %u = nn.l2_normalize %w epsilon 6.0 : tensor<7x20xf32>
    %y = nn.dense %f, %u : tensor<3x20xf32>, tensor<7x20xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x7xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-COUNT-3: nn.l2_normalize_grad
  func.func @micro(%x: tensor<3x4x5xf32>, %w: tensor<7x20xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<7x20xf32>) {
    %sum, %count, %dx, %dw = train.value_and_grad @forward(%x, %w, %label, %valid) wrt [0, 1]
        : (tensor<3x4x5xf32>, tensor<7x20xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<7x20xf32>)
    return %sum, %count, %dx, %dw
        : tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<7x20xf32>
  }
}
