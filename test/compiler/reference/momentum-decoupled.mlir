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
    %yes = arith.constant dense<1> : tensor<i32>
    // v = 0.75 v + h / 4; u - lr (v + 0.25 u).
    %r:3 = train.update loss(%loss) count(%four) after(%yes)
        gradients(%h : tensor<2xf32>) current(%u, %v : tensor<2xf32>, tensor<2xf32>) {
    ^bb0(%mh: tensor<2xf32>):
      // CHECK: train.momentum {{.*}} momentum 7.500000e-01 weight_decay 2.500000e-01 decoupled : tensor<2xf32>
      %u1, %v1 = train.momentum %u, %mh, %lr, %v momentum 0.75 weight_decay 0.25
          decoupled : tensor<2xf32>
      train.yield %u1, %v1 : tensor<2xf32>, tensor<2xf32>
    }
    %v_x = arith.constant dense<[1.25, -0.75]> : tensor<2xf32>
    %u_x = arith.constant dense<[-1.5, 3.875]> : tensor<2xf32>
    check.expect_eq %r#0, %u_x : tensor<2xf32>
    check.expect_eq %r#1, %v_x : tensor<2xf32>
    return
  }
}
