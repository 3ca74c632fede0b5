// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradient of a flattened value has the shape of the value.
train.program @flatten batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x1x2x3xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %logits = nn.flatten %x : tensor<3x1x2x3xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x6xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DX:.+]] = nn.reshape %[[DY]] : tensor<3x6xf32> to tensor<3x1x2x3xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DX]]
  func.func @micro(%x: tensor<3x1x2x3xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x1x2x3xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<3x1x2x3xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x1x2x3xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x1x2x3xf32>
  }
}
