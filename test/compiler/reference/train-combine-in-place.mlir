// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of train.combine with a count, then on drawn numbers the op against its lowering.
train.program @accumulate batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %a = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
    %b = arith.constant dense<[0.5, 2.5]> : tensor<2xf32>
    %n = arith.constant dense<17> : tensor<i64>
    %s = train.combine %b, %a of(%n) : tensor<2xf32>
    %s_x = arith.constant dense<[1.5, 0.0]> : tensor<2xf32>
    check.expect_eq %s, %s_x : tensor<2xf32>
    // Sums over nothing hold anything.
    %none = arith.constant dense<0> : tensor<i64>
    %nan = arith.constant dense<0x7FC00000> : tensor<2xf32>
    %e = train.combine %nan, %a of(%none) : tensor<2xf32>
    check.expect_eq %e, %a : tensor<2xf32>
    %m = arith.constant dense<32> : tensor<i64>
    %c = train.combine %n, %m of(%n) : tensor<i64>
    %c_x = arith.constant dense<49> : tensor<i64>
    check.expect_eq %c, %c_x : tensor<i64>
    return
  }
  func.func @drawn(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %s: tensor<f32>,
                   %t: tensor<f32>, %n: tensor<i64>, %m: tensor<i64>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>) {
    %none = arith.constant dense<0> : tensor<i64>
    %some = arith.constant dense<3> : tensor<i64>
    %g = train.combine %b, %a of(%some) : tensor<4x3xf32>
    %h = train.combine %b, %a of(%none) : tensor<4x3xf32>
    %loss = train.combine %t, %s of(%n) : tensor<f32>
    %count = train.combine %m, %n of(%m) : tensor<i64>
    return %g, %h, %loss, %count : tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
}
