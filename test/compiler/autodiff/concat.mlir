// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Each input gets its part of the gradient; one that is there twice gets both.
train.program @concat batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%a: tensor<3x2x4xf32>, %b: tensor<3x1x4xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %s = nn.mul %a, %a : tensor<3x2x4xf32>
    %c = nn.concat %s, %b, %s axis 1
        : tensor<3x2x4xf32>, tensor<3x1x4xf32>, tensor<3x2x4xf32>
    %q = nn.mul %c, %c : tensor<3x5x4xf32>
    %y = nn.flatten %q : tensor<3x5x4xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x20xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.slice %{{.*}} axis 1 from 0 size 2
  // CHECK: nn.slice %{{.*}} axis 1 from 2 size 1
  // CHECK: nn.slice %{{.*}} axis 1 from 3 size 2
  func.func @micro(%a: tensor<3x2x4xf32>, %b: tensor<3x1x4xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<3x1x4xf32>) {
    %sum, %count, %da, %db =
        train.value_and_grad @forward(%a, %b, %label, %valid)
        wrt [0, 1]
        : (tensor<3x2x4xf32>, tensor<3x1x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<3x1x4xf32>)
    return %sum, %count, %da, %db
        : tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<3x1x4xf32>
  }
}
