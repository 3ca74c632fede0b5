// The backward of a repeated value is a sum along the axes of the repetition.
// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

train.program @broadcast batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2xf32>, %w: tensor<3x4x2x3xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.broadcast %x along [1, 3] : tensor<3x2xf32> -> tensor<3x4x2x3xf32>
    %p = nn.mul %y, %w : tensor<3x4x2x3xf32>
    %f = nn.flatten %p : tensor<3x4x2x3xf32>
    %sum, %count = nn.softmax_cross_entropy %f, %label, %valid
        : tensor<3x24xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.reduce sum %{{.+}} along [1, 3] : tensor<3x4x2x3xf32>
  func.func @micro(%x: tensor<3x2xf32>, %w: tensor<3x4x2x3xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>) {
    %sum, %count, %dx, %dw = train.value_and_grad @forward(%x, %w, %label, %valid) wrt [0, 1]
        : (tensor<3x2xf32>, tensor<3x4x2x3xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>)
    return %sum, %count, %dx, %dw : tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>
  }

  func.func @main() -> (tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>) {
    %seed = arith.constant dense<1> : tensor<i64>
    %x = train.initialize "x" <uniform, -1.0, 1.0> seed(%seed) : tensor<3x2xf32>
    %w = train.initialize "w" <uniform, -1.0, 1.0> seed(%seed) : tensor<3x4x2x3xf32>
    %label = arith.constant dense<[3, 0, 2]> : tensor<3xi32>
    %valid = arith.constant dense<2> : tensor<i32>
    %r:4 = call @micro(%x, %w, %label, %valid)
        : (tensor<3x2xf32>, tensor<3x4x2x3xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>)
    return %r#0, %r#1, %r#2, %r#3 : tensor<f32>, tensor<i64>, tensor<3x2xf32>, tensor<3x4x2x3xf32>
  }
}
