// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// What is taken away gets the opposite gradient.
train.program @sub batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.sub %a, %b : tensor<3x5xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x5xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.sub
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: nn.scale %[[DY]] by -1.000000e+00
  func.func @micro(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>, tensor<3x5xf32>) {
    %sum, %count, %da, %db =
        train.value_and_grad @forward(%a, %b, %label, %valid)
        wrt [0, 1]
        : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>, tensor<3x5xf32>)
    return %sum, %count, %da, %db
        : tensor<f32>, tensor<i64>, tensor<3x5xf32>, tensor<3x5xf32>
  }
}
