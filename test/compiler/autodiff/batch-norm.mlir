// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// Over images and over columns. Mean and variance depend on x, and so does the gradient; what
// is accumulated has none.
train.program @batch_norm batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<4x3x2x2xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>,
    %k: tensor<3xf32>, %u: tensor<12xf32>, %c: tensor<12xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<i64>) {
    %y, %m, %v = nn.batch_norm %x, %w, %b, %valid epsilon 1.0e-5
        : tensor<4x3x2x2xf32>, tensor<3xf32>
    %s, %q, %n = nn.batch_norm_sums %m, %v, %k, %valid positions 4 : tensor<3xf32>
    %t = nn.tanh %y : tensor<4x3x2x2xf32>
    %f = nn.flatten %t : tensor<4x3x2x2xf32>
    %z, %mz, %vz = nn.batch_norm %f, %u, %c, %valid epsilon 1.0e-3
        : tensor<4x12xf32>, tensor<12xf32>
    %sum, %count = nn.softmax_cross_entropy %z, %label, %valid
        : tensor<4x12xf32>, tensor<4xi32>
    return %sum, %count, %s, %q, %n
        : tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.batch_norm_sums
  // CHECK: nn.batch_norm_grad
  // CHECK: nn.batch_norm_grad
  // CHECK-NOT: nn.batch_norm_inference
  func.func @micro(%x: tensor<4x3x2x2xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>,
    %k: tensor<3xf32>, %u: tensor<12xf32>, %c: tensor<12xf32>, %label: tensor<4xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<i64>,
          tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<12xf32>, tensor<12xf32>) {
    %sum, %count, %r:8 =
        train.value_and_grad @forward(%x, %w, %b, %k, %u, %c, %label, %valid)
        outputs [2, 3, 4] wrt [0, 1, 2, 4, 5]
        : (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<12xf32>,
           tensor<12xf32>, tensor<4xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<i64>,
            tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<12xf32>, tensor<12xf32>)
    return %sum, %count, %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7
        : tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<i64>,
          tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<12xf32>, tensor<12xf32>
  }
}
