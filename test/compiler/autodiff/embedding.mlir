// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// A row gets the sum over the places that name it.
train.program @embedding batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%table: tensor<4x2xf32>, %index: tensor<3x5xi32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.embedding %index, %table : tensor<3x5xi32>, tensor<4x2xf32>
    %z = nn.flatten %y : tensor<3x5x2xf32>
    %sum, %count = nn.softmax_cross_entropy %z, %label, %valid
        : tensor<3x10xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %{{.*}}: tensor<4x2xf32>, %[[INDEX:[^:]+]]: tensor<3x5xi32>
  // CHECK: nn.embedding %[[INDEX]]
  // CHECK: nn.embedding_grad %{{.*}}, %[[INDEX]], %{{.*}} -> tensor<4x2xf32>
  func.func @micro(%table: tensor<4x2xf32>, %index: tensor<3x5xi32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<4x2xf32>) {
    %sum, %count, %dt =
        train.value_and_grad @forward(%table, %index, %label, %valid)
        wrt [0]
        : (tensor<4x2xf32>, tensor<3x5xi32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x2xf32>)
    return %sum, %count, %dt
        : tensor<f32>, tensor<i64>, tensor<4x2xf32>
  }
}
