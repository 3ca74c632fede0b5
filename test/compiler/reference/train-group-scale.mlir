// RUN: boost-interpret %s --tolerance=1e-7
// RUN: boost-interpret %s --tolerance=1e-7 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Scales from 4096 over overflow, good step, overflow, by the formula: 4096 * 2^(-1/2), then
// * 2^(1/1000), then * 2^(-1/2). Then the limits, and what changes nothing.
train.program @group_scale batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %none = arith.constant dense<0> : tensor<i64>
    %one = arith.constant dense<1> : tensor<i64>
    %two = arith.constant dense<2> : tensor<i64>
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %some = arith.constant dense<0.125> : tensor<f32>
    %s0 = arith.constant dense<4096.0> : tensor<f32>
    %s1, %o1 = train.adjust_group_scale %s0, %none of %two nonfinite %one
    %x1 = arith.constant dense<2896.309375740099> : tensor<f32>
    check.expect_close %s1, %x1 atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %o1, %one : tensor<i64>
    %s2, %o2 = train.adjust_group_scale %s1, %o1 of %two nonfinite %none
    %x2 = arith.constant dense<2898.317640348992> : tensor<f32>
    check.expect_close %s2, %x2 atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %o2, %one : tensor<i64>
    // Two ranks found one.
    %s3, %o3 = train.adjust_group_scale %s2, %o2 of weight %some nonfinite %two
    %x3 = arith.constant dense<2049.4200575233654> : tensor<f32>
    check.expect_close %s3, %x3 atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %o3, %two : tensor<i64>

    %low = arith.constant dense<1.25> : tensor<f32>
    %lowest = arith.constant dense<1.0> : tensor<f32>
    %s4, %o4 = train.adjust_group_scale %low, %none of %two nonfinite %one
    check.expect_eq %s4, %lowest : tensor<f32>
    %high = arith.constant dense<16770000.0> : tensor<f32>
    %highest = arith.constant dense<16777216.0> : tensor<f32>
    %s5, %o5 = train.adjust_group_scale %high, %none of %two nonfinite %none
    check.expect_eq %s5, %highest : tensor<f32>

    // No sample, and no weight, whatever the flag is.
    %s6, %o6 = train.adjust_group_scale %s0, %none of %none nonfinite %one
    check.expect_eq %s6, %s0 : tensor<f32>
    check.expect_eq %o6, %none : tensor<i64>
    %s7, %o7 = train.adjust_group_scale %s0, %none of weight %nothing nonfinite %one
    check.expect_eq %s7, %s0 : tensor<f32>
    check.expect_eq %o7, %none : tensor<i64>

    %v = train.stack %s0, %some, %lowest : tensor<f32>, tensor<f32>, tensor<f32>
    %v_x = arith.constant dense<[4096.0, 0.125, 1.0]> : tensor<3xf32>
    check.expect_eq %v, %v_x : tensor<3xf32>
    %u = train.stack %o3, %o4 : tensor<i64>, tensor<i64>
    %u_x = arith.constant dense<[2, 1]> : tensor<2xi64>
    check.expect_eq %u, %u_x : tensor<2xi64>
    %w = train.stack %two : tensor<i64>
    %w_x = arith.constant dense<[2]> : tensor<1xi64>
    check.expect_eq %w, %w_x : tensor<1xi64>
    return
  }
}
