// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Large logits: the maximum of each row keeps exp finite.
train.program @softmax_cross_entropy batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<4x5xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %shift = arith.constant dense<[[300.0, 302.0, 298.0, 300.0, 299.0],
                                   [-200.0, -200.0, -200.0, -200.0, -200.0],
                                   [0.0, 0.0, 0.0, 0.0, 0.0],
                                   [90.0, 0.0, -90.0, 0.0, 91.0]]> : tensor<4x5xf32>
    %logits = nn.add %x, %shift : tensor<4x5xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<4x5xf32>, tensor<4xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<4xi32>, %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK: %[[L:.+]] = nn.add
  // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[DL:.+]] = nn.softmax_cross_entropy_grad %[[ONE]], %[[L]], %[[LABEL]], %[[VALID]]
  // CHECK: return %{{.*}}, %{{.*}}, %[[DL]]
  func.func @micro(%x: tensor<4x5xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid)
        wrt [0]
        : (tensor<4x5xf32>, tensor<4xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<4x5xf32>
  }
}
