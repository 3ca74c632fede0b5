// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Parts from the front, the middle and the end; what no part has gets zeros.
train.program @slice batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x9xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %a = nn.slice %x axis 2 from 0 size 3 : tensor<3x2x9xf32>
    %b = nn.slice %x axis 2 from 4 size 3 : tensor<3x2x9xf32>
    %c = nn.slice %x axis 2 from 6 size 3 : tensor<3x2x9xf32>
    %ab = nn.mul %a, %b : tensor<3x2x3xf32>
    %abc = nn.sub %ab, %c : tensor<3x2x3xf32>
    %row = nn.slice %abc axis 1 from 1 size 1 : tensor<3x2x3xf32>
    %y = nn.flatten %row : tensor<3x1x3xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x3xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.slice_grad %{{.*}} axis 1 from 1
  // CHECK: nn.slice_grad %{{.*}} axis 2 from 6
  // CHECK: nn.slice_grad %{{.*}} axis 2 from 4
  // CHECK: nn.slice_grad %{{.*}} axis 2 from 0
  func.func @micro(%x: tensor<3x2x9xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x9xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<3x2x9xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x9xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x2x9xf32>
  }
}
