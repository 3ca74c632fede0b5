// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Over the last dimension and over all of a sample.
train.program @layer_norm batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4x5xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>, %h: tensor<4x5xf32>, %c: tensor<4x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %m = nn.layer_norm %x, %g, %b epsilon 1.0e-5 : tensor<3x4x5xf32>, tensor<5xf32>
    %n = nn.layer_norm %m, %h, %c epsilon 1.0e-3 : tensor<3x4x5xf32>, tensor<4x5xf32>
    %y = nn.flatten %n : tensor<3x4x5xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x20xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.layer_norm_grad_input
  // CHECK: nn.layer_norm_grad_parameters
  // CHECK: nn.layer_norm_grad_input
  // CHECK: nn.layer_norm_grad_parameters
  func.func @micro(%x: tensor<3x4x5xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>, %h: tensor<4x5xf32>, %c: tensor<4x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
    %sum, %count, %dx, %dg, %db, %dh, %dc =
        train.value_and_grad @forward(%x, %g, %b, %h, %c, %label, %valid)
        wrt [0, 1, 2, 3, 4]
        : (tensor<3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>)
    return %sum, %count, %dx, %dg, %db, %dh, %dc
        : tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
  }
}
