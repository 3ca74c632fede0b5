// The backward equals central differences of the forward.
// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

train.program @upsample batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x3x2xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.upsample %x factors [2, 3] : tensor<3x2x3x2xf32>
    %f = nn.flatten %y : tensor<3x2x6x6xf32>
    %s = nn.silu %f : tensor<3x72xf32>
    %sum, %count = nn.softmax_cross_entropy %s, %label, %valid
        : tensor<3x72xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.reshape
  // CHECK: nn.upsample_grad %[[DY]] factors [2, 3] : tensor<3x2x6x6xf32> -> tensor<3x2x3x2xf32>
  func.func @micro(%x: tensor<3x2x3x2xf32>, %label: tensor<3xi32>,
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>) {
    %sum, %count, %dx = train.value_and_grad @forward(%x, %label, %valid) wrt [0]
        : (tensor<3x2x3x2xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>)
    return %sum, %count, %dx : tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>
  }

  func.func @main() -> (tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>) {
    %seed = arith.constant dense<1> : tensor<i64>
    %x = train.initialize "x" <uniform, -1.0, 1.0> seed(%seed) : tensor<3x2x3x2xf32>
    %label = arith.constant dense<[3, 0, 2]> : tensor<3xi32>
    %valid = arith.constant dense<2> : tensor<i32>
    %r:3 = call @micro(%x, %label, %valid)
        : (tensor<3x2x3x2xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>)
    return %r#0, %r#1, %r#2 : tensor<f32>, tensor<i64>, tensor<3x2x3x2xf32>
  }
}
