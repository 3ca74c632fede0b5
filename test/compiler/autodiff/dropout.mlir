// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The same elements go, found again from the keys.
train.program @dropout batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x5xf32>, %keys: tensor<3xi32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.dropout %x, %keys rate 0.375 stream 1234567890123
        : tensor<3x2x5xf32>, tensor<3xi32>
    %z = nn.flatten %y : tensor<3x2x5xf32>
    %sum, %count = nn.softmax_cross_entropy %z, %label, %valid
        : tensor<3x10xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %{{.*}}: tensor<3x2x5xf32>, %[[KEYS:[^:]+]]: tensor<3xi32>
  // CHECK: nn.dropout %{{.*}}, %[[KEYS]] rate 3.750000e-01 stream 1234567890123
  // CHECK: nn.softmax_cross_entropy_grad
  // CHECK: nn.dropout %{{.*}}, %[[KEYS]] rate 3.750000e-01 stream 1234567890123
  func.func @micro(%x: tensor<3x2x5xf32>, %keys: tensor<3xi32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %keys, %label, %valid)
        wrt [0]
        : (tensor<3x2x5xf32>, tensor<3xi32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<3x2x5xf32>
  }
}
