// A transposed convolution in two groups: what it reads has the gradient of a convolution.
// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

train.program @conv2d_transpose batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4x2x3xf32>, %w: tensor<4x1x3x2xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.conv2d_grad_input %x, %w strides [2, 1] padding [1, 0, 0, 1] dilations [1, 2]
        groups 2 : tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32> -> tensor<3x2x4x4xf32>
    %f = nn.flatten %y : tensor<3x2x4x4xf32>
    %sum, %count = nn.softmax_cross_entropy %f, %label, %valid
        : tensor<3x32xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.reshape
  // CHECK-DAG: nn.conv2d %[[DY]], %{{.+}} strides [2, 1] padding [1, 0, 0, 1] dilations [1, 2] groups 2
  // CHECK-DAG: nn.conv2d_grad_weight %{{.+}}, %[[DY]] strides [2, 1] padding [1, 0, 0, 1] dilations [1, 2] groups 2 transposed
  func.func @micro(%x: tensor<3x4x2x3xf32>, %w: tensor<4x1x3x2xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>) {
    %sum, %count, %dx, %dw = train.value_and_grad @forward(%x, %w, %label, %valid) wrt [0, 1]
        : (tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>)
    return %sum, %count, %dx, %dw : tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>
  }

  func.func @main() -> (tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>) {
    %seed = arith.constant dense<1> : tensor<i64>
    %x = train.initialize "x" <uniform, -1.0, 1.0> seed(%seed) : tensor<3x4x2x3xf32>
    %w = train.initialize "w" <uniform, -1.0, 1.0> seed(%seed) : tensor<4x1x3x2xf32>
    %label = arith.constant dense<[3, 0, 2]> : tensor<3xi32>
    %valid = arith.constant dense<2> : tensor<i32>
    %r:4 = call @micro(%x, %w, %label, %valid)
        : (tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>)
    return %r#0, %r#1, %r#2, %r#3 : tensor<f32>, tensor<i64>, tensor<3x4x2x3xf32>, tensor<4x1x3x2xf32>
  }
}
