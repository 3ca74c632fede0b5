// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Targets get no gradient.
train.program @l1 batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %t = nn.one_hot %label : tensor<3xi32> -> tensor<3x5xf32>
    %sum, %count = nn.l1 %x, %t, %valid : tensor<3x5xf32>, tensor<3x5xf32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[T:.+]] = nn.one_hot
  // CHECK: nn.pointwise_loss_grad %{{.*}}, %{{.*}}, %[[T]], %{{.*}} of nn.l1
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
