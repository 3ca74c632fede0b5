// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Along the last dimension and along another.
train.program @softmax batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %a = nn.softmax %x axis 1 : tensor<3x4x5xf32>
    %b = nn.softmax %a axis 2 : tensor<3x4x5xf32>
    %y = nn.flatten %b : tensor<3x4x5xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x20xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[A:.+]] = nn.softmax %{{.*}} axis 1
  // CHECK: %[[B:.+]] = nn.softmax %[[A]] axis 2
  // CHECK: %[[DA:.+]] = nn.softmax_grad %{{.*}}, %[[B]] axis 2
  // CHECK: nn.softmax_grad %[[DA]], %[[A]] axis 1
  func.func @micro(%x: tensor<3x4x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<3x4x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x4x5xf32>
  }
}
