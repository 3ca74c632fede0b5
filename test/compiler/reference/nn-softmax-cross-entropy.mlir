// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=bad_label 2>&1 | FileCheck %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.softmax_cross_entropy and its gradient, then on drawn numbers the ops
// against their lowerings.
train.program @loss batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    // Rows: all alike; a factor of three; huge; with a label that is impossible.
    %l = arith.constant dense<[[5.0, 5.0], [0.0, 1.0986122886681098], [1.0e4, 9.0e3],
                               [0.0, 0xFF800000]]> : tensor<4x2xf32>
    %t = arith.constant dense<[0, 1, 1, 1]> : tensor<4xi32>
    %n0 = arith.constant dense<0> : tensor<i32>
    %s0, %c0 = nn.softmax_cross_entropy %l, %t, %n0 : tensor<4x2xf32>, tensor<4xi32>
    %s0_x = arith.constant dense<0.0> : tensor<f32>
    %c0_x = arith.constant dense<0> : tensor<i64>
    check.expect_eq %s0, %s0_x : tensor<f32>
    check.expect_eq %c0, %c0_x : tensor<i64>
    // log 2, then + log(4 / 3), then + 1000: constants in f32, hence 1e-7.
    %n1 = arith.constant dense<1> : tensor<i32>
    %s1, %c1 = nn.softmax_cross_entropy %l, %t, %n1 : tensor<4x2xf32>, tensor<4xi32>
    %s1_x = arith.constant dense<0.69314718055994531> : tensor<f32>
    %c1_x = arith.constant dense<1> : tensor<i64>
    check.expect_close %s1, %s1_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %c1, %c1_x : tensor<i64>
    %n3 = arith.constant dense<3> : tensor<i32>
    %s3, %c3 = nn.softmax_cross_entropy %l, %t, %n3 : tensor<4x2xf32>, tensor<4xi32>
    %s3_x = arith.constant dense<1000.9808292530117> : tensor<f32>
    %c3_x = arith.constant dense<3> : tensor<i64>
    check.expect_close %s3, %s3_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %c3, %c3_x : tensor<i64>
    // The impossible label costs infinitely much.
    %n4 = arith.constant dense<4> : tensor<i32>
    %s4, %c4 = nn.softmax_cross_entropy %l, %t, %n4 : tensor<4x2xf32>, tensor<4xi32>
    %s4_x = arith.constant dense<0x7F800000> : tensor<f32>
    check.expect_eq %s4, %s4_x : tensor<f32>

    // Twice softmax minus one-hot, and zero for rows that pad.
    %two = arith.constant dense<2.0> : tensor<f32>
    %dl = nn.softmax_cross_entropy_grad %two, %l, %t, %n3
        : tensor<4x2xf32>, tensor<4xi32>
    %dl_x = arith.constant dense<[[-1.0, 1.0], [0.5, -0.5], [2.0, -2.0], [0.0, 0.0]]>
        : tensor<4x2xf32>
    check.expect_close %dl, %dl_x atol 0.0 rtol 1.0e-7 : tensor<4x2xf32>
    return
  }
  func.func @bad_label() {
    %l = arith.constant dense<0.0> : tensor<2x2xf32>
    %t = arith.constant dense<[0, 2]> : tensor<2xi32>
    %n = arith.constant dense<2> : tensor<i32>
    // CHECK: [[#@LINE+1]]:20: error: {{.*}}label 2 of sample 1 is not in [0, 2)
    %sum, %count = nn.softmax_cross_entropy %l, %t, %n : tensor<2x2xf32>, tensor<2xi32>
    return
  }
  func.func @drawn(%l: tensor<4x5xf32>, %t: tensor<4xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>}, %g: tensor<f32>)
      -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>) {
    %scale = arith.constant dense<[[800.0, 0.0, 0.0, 0.0, -900.0],
                                   [0.0, 0.0, 0.0, 0.0, 0.0],
                                   [-1.0, -2.0, -3.0, -4.0, -5.0],
                                   [1.0, 1.0, 1.0, 1.0, 1.0]]> : tensor<4x5xf32>
    %logits = nn.add %l, %scale : tensor<4x5xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %t, %valid
        : tensor<4x5xf32>, tensor<4xi32>
    %dl = nn.softmax_cross_entropy_grad %g, %logits, %t, %valid
        : tensor<4x5xf32>, tensor<4xi32>
    return %sum, %count, %dl : tensor<f32>, tensor<i64>, tensor<4x5xf32>
  }
}
