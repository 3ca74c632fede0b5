// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradient comes from the input.
train.program @softplus batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %s = nn.scale %x by 2.0 : tensor<3x5xf32>
    %y = nn.softplus %s : tensor<3x5xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x5xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[X:.+]] = nn.scale
  // CHECK: %[[Y:.+]] = nn.softplus %[[X]]
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: nn.elementwise_grad %[[DY]], %[[X]] of nn.softplus
  func.func @micro(%x: tensor<3x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<3x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x5xf32>
  }
}
