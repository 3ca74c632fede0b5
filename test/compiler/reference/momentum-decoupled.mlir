// RUN: boost-opt %s --verify-roundtrip | FileCheck %s
// RUN: boost-interpret %s
// RUN: boost-interpret %s --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'

// Decoupled weight decay leaves the velocity alone.
train.program @update batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %loss = arith.constant dense<1.0> : tensor<f32>
    %four = arith.constant dense<4> : tensor<i64>
    %h = arith.constant dense<[2.0, 0.0]> : tensor<2xf32>
    %u = arith.constant dense<[-1.0, 4.0]> : tensor<2xf32>
    %v = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %lr = arith.constant dense<0.5> : tensor<f32>
    %no = arith.constant dense<0> : tensor<i32>
    // v = 0.75 v + h / 4; u - lr (v + 0.25 u).
    %applied, %failed = train.commit count(%four) after(%no)
        finite(%loss, %h : tensor<f32>, tensor<2xf32>) on_nonfinite fail
    %mh = train.divide_gradient %h by %four : tensor<2xf32>
    // CHECK: train.momentum {{.*}} momentum 7.500000e-01 weight_decay 2.500000e-01 decoupled if %applied : tensor<2xf32>
    %u1, %v1 = train.momentum %u, %mh, %lr, %v momentum 0.75 weight_decay 0.25
        decoupled if %applied : tensor<2xf32>
    %v_x = arith.constant dense<[1.25, -0.75]> : tensor<2xf32>
    %u_x = arith.constant dense<[-1.5, 3.875]> : tensor<2xf32>
    check.expect_eq %u1, %u_x : tensor<2xf32>
    check.expect_eq %v1, %v_x : tensor<2xf32>
    return
  }
}
