// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Weights of samples are factors of their gradients, and have none of their own.
train.program @sample_weights batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<4x5xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32>, %w: tensor<4xf32>)
      -> (tensor<f32>, tensor<i64>) {
    %sum, %count = nn.softmax_cross_entropy %x, %label, %valid weights %w
        : tensor<4x5xf32>, tensor<4xi32>, tensor<4xf32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<4xi32>, %[[VALID:[a-z0-9]+]]: tensor<i32> {{.*}}, %[[W:[a-z0-9]+]]: tensor<4xf32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[DL:.+]] = nn.softmax_cross_entropy_grad %[[ONE]], %{{.+}}, %[[LABEL]], %[[VALID]] weights %[[W]] :
  // CHECK: return %{{.*}}, %{{.*}}, %[[DL]]
  func.func @micro(%x: tensor<4x5xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>}, %w: tensor<4xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>) {
    %sum, %count, %dx =
        train.value_and_grad @forward(%x, %label, %valid, %w)
        wrt [0]
        : (tensor<4x5xf32>, tensor<4xi32>, tensor<i32>, tensor<4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>)
    return %sum, %count, %dx
        : tensor<f32>, tensor<i64>, tensor<4x5xf32>
  }
}
