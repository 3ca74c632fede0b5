// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradient of overlapping windows that reach into padding.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<2x4x7x9xf32>, %label: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h, %tap = nn.max_pool %x kernel [3, 3] strides [2, 2] padding [1, 0, 2, 1]
        : tensor<2x4x7x9xf32> -> tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>
    %f = nn.flatten %h : tensor<2x4x4x4xf32>
    %sum, %count = nn.softmax_cross_entropy %f, %label, %valid
        : tensor<2x64xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %{{.+}}, %[[TAP:.+]] = nn.max_pool
  // CHECK: %[[DY:.+]] = nn.reshape
  // CHECK: nn.max_pool_grad %[[DY]], %[[TAP]] kernel [3, 3] strides [2, 2] padding [1, 0, 2, 1]
  func.func @micro(%x: tensor<2x4x7x9xf32>, %label: tensor<2xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<2x4x7x9xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>
  }
}
