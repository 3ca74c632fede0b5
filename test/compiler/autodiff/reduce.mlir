// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Sum and mean repeat the gradient, max gives it to the largest.
train.program @reduce batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x4x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %m = nn.reduce mean %x along [1] : tensor<3x2x4x5xf32>
    %l = nn.reduce max %x along [1] : tensor<3x2x4x5xf32>
    %p = nn.mul %m, %l : tensor<3x4x5xf32>
    %y = nn.reduce sum %p along [1] : tensor<3x4x5xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x5xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.broadcast %{{.*}} along [1] : tensor<3x5xf32> -> tensor<3x4x5xf32>
  // CHECK: nn.reduce_max_grad
  // CHECK: nn.scale %{{.*}} by 5.000000e-01
  // CHECK: nn.broadcast %{{.*}} along [1]
  func.func @micro(%x: tensor<3x2x4x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x4x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<3x2x4x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x4x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x2x4x5xf32>
  }
}
