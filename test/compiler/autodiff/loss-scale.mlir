// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Gradients are those of the scaled loss, which itself is not scaled.
train.program @loss_scale batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %t = nn.one_hot %label : tensor<3xi32> -> tensor<3x5xf32>
    %sum, %count = nn.mse %x, %t, %valid : tensor<3x5xf32>, tensor<3x5xf32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32>
  // CHECK: %[[SUM:.+]], %[[COUNT:.+]] = nn.mse
  // CHECK: %[[DX:.+]] = nn.pointwise_loss_grad %[[SCALE]],
  // CHECK: return %[[SUM]], %[[COUNT]], %[[DX]]
  func.func @micro(%x: tensor<3x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>}, %scale: tensor<f32>)
      -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid) scale(%scale)
        wrt [0]
        : (tensor<3x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x5xf32>
  }
}
