// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=bad_label 2>&1 | FileCheck %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.top_k, then on drawn numbers the op against its lowering.
train.program @top_k batch_size(5) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    // The label is first; second; tied with a lower class; tied with a higher one; beaten
    // by a NaN.
    %l = arith.constant dense<[[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [2.0, 2.0, 1.0],
                               [2.0, 2.0, 1.0], [0x7FC00000, 2.0, 1.0]]> : tensor<5x3xf32>
    %t = arith.constant dense<[0, 1, 1, 0, 1]> : tensor<5xi32>
    %n = arith.constant dense<5> : tensor<i32>
    %s1, %c1 = nn.top_k 1, %l, %t, %n : tensor<5x3xf32>, tensor<5xi32>
    %s1_x = arith.constant dense<2.0> : tensor<f32>
    check.expect_eq %s1, %s1_x : tensor<f32>
    %s2, %c2 = nn.top_k 2, %l, %t, %n : tensor<5x3xf32>, tensor<5xi32>
    %s2_x = arith.constant dense<5.0> : tensor<f32>
    check.expect_eq %s2, %s2_x : tensor<f32>
    %count = arith.constant dense<5> : tensor<i64>
    check.expect_eq %c1, %count : tensor<i64>
    check.expect_eq %c2, %count : tensor<i64>
    %n2 = arith.constant dense<2> : tensor<i32>
    %s3, %c3 = nn.top_k 1, %l, %t, %n2 : tensor<5x3xf32>, tensor<5xi32>
    %s3_x = arith.constant dense<1.0> : tensor<f32>
    %c3_x = arith.constant dense<2> : tensor<i64>
    check.expect_eq %s3, %s3_x : tensor<f32>
    check.expect_eq %c3, %c3_x : tensor<i64>

    // A label that is a NaN itself is never correct.
    %nan = arith.constant dense<[[0x7FC00000, 2.0]]> : tensor<1x2xf32>
    %zero = arith.constant dense<0> : tensor<1xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %s4, %c4 = nn.top_k 2, %nan, %zero, %one : tensor<1x2xf32>, tensor<1xi32>
    %s4_x = arith.constant dense<0.0> : tensor<f32>
    check.expect_eq %s4, %s4_x : tensor<f32>
    return
  }
  func.func @bad_label() {
    %l = arith.constant dense<0.0> : tensor<2x2xf32>
    %t = arith.constant dense<[-1, 0]> : tensor<2xi32>
    %n = arith.constant dense<2> : tensor<i32>
    // CHECK: [[#@LINE+1]]:20: error: {{.*}}label -1 of sample 0 is not in [0, 2)
    %sum, %count = nn.top_k 1, %l, %t, %n : tensor<2x2xf32>, tensor<2xi32>
    return
  }
  func.func @drawn(%x: tensor<5x4xf32>, %t: tensor<5xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
    %s1, %c1 = nn.top_k 1, %x, %t, %valid : tensor<5x4xf32>, tensor<5xi32>
    %s3, %c3 = nn.top_k 3, %x, %t, %valid : tensor<5x4xf32>, tensor<5xi32>
    // Ties and NaNs.
    %odd = arith.constant dense<[[1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [0x7FC00000, 1.0, 0.0],
                                 [0.0, 0x7FC00000, 1.0], [1.0, 0.0, 0x7FC00000]]>
        : tensor<5x3xf32>
    %s2, %c2 = nn.top_k 2, %odd, %t, %valid : tensor<5x3xf32>, tensor<5xi32>
    return %s1, %c1, %s3, %c3, %s2, %c2 : tensor<f32>, tensor<i64>, tensor<f32>,
        tensor<i64>, tensor<f32>, tensor<i64>
  }
}
