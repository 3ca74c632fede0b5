// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Two products with the other operand.
train.program @matmul_transpose_b batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%a: tensor<3x4x5xf32>, %b: tensor<3x2x5xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %m = nn.matmul %a, %b transpose_b : tensor<3x4x5xf32>, tensor<3x2x5xf32>
    %y = nn.flatten %m : tensor<3x4x2xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x8xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_b : tensor<3x4x5xf32>, tensor<3x2x5xf32>
  // CHECK: nn.matmul
  // CHECK: nn.matmul
  func.func @micro(%a: tensor<3x4x5xf32>, %b: tensor<3x2x5xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<3x2x5xf32>) {
    %sum, %count, %da, %db =
        train.value_and_grad @forward(%a, %b, %label, %valid)
        wrt [0, 1]
        : (tensor<3x4x5xf32>, tensor<3x2x5xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<3x2x5xf32>)
    return %sum, %count, %da, %db
        : tensor<f32>, tensor<i64>, tensor<3x4x5xf32>, tensor<3x2x5xf32>
  }
}
