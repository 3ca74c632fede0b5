// RUN: boost-interpret %s
// RUN: boost-interpret %s \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// The scales of MindSpore's DynamicLossScaleManager with init 8, window 3 and factor 2, for steps of
// which the fifth and the last five overflow; then what says nothing of the scale, its largest value,
// and a gradient without its scale.
train.program @loss_scale batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %count = arith.constant dense<2> : tensor<i64>
    %none = arith.constant dense<0> : tensor<i64>
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %some = arith.constant dense<0.125> : tensor<f32>
    %s0 = arith.constant dense<8.0> : tensor<f32>
    %n0 = arith.constant dense<0> : tensor<i64>
    %s1, %n1, %u1 = train.adjust_loss_scale %s0, %n0 of %count if %yes factor 2.0 window 3
    %x1 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s1, %x1 : tensor<f32>
    check.expect_eq %u1, %s0 : tensor<f32>
    %s2, %n2, %u2 = train.adjust_loss_scale %s1, %n1 of %count if %yes factor 2.0 window 3
    %x2 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s2, %x2 : tensor<f32>
    check.expect_eq %u2, %s1 : tensor<f32>
    %s3, %n3, %u3 = train.adjust_loss_scale %s2, %n2 of %count if %yes factor 2.0 window 3
    %x3 = arith.constant dense<16.0> : tensor<f32>
    check.expect_eq %s3, %x3 : tensor<f32>
    check.expect_eq %u3, %s2 : tensor<f32>
    %s4, %n4, %u4 = train.adjust_loss_scale %s3, %n3 of %count if %yes factor 2.0 window 3
    %x4 = arith.constant dense<16.0> : tensor<f32>
    check.expect_eq %s4, %x4 : tensor<f32>
    check.expect_eq %u4, %s3 : tensor<f32>
    %s5, %n5, %u5 = train.adjust_loss_scale %s4, %n4 of %count if %no factor 2.0 window 3
    %x5 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s5, %x5 : tensor<f32>
    check.expect_eq %u5, %s4 : tensor<f32>
    %s6, %n6, %u6 = train.adjust_loss_scale %s5, %n5 of %count if %yes factor 2.0 window 3
    %x6 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s6, %x6 : tensor<f32>
    check.expect_eq %u6, %s5 : tensor<f32>
    %s7, %n7, %u7 = train.adjust_loss_scale %s6, %n6 of %count if %yes factor 2.0 window 3
    %x7 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s7, %x7 : tensor<f32>
    check.expect_eq %u7, %s6 : tensor<f32>
    %s8, %n8, %u8 = train.adjust_loss_scale %s7, %n7 of %count if %yes factor 2.0 window 3
    %x8 = arith.constant dense<16.0> : tensor<f32>
    check.expect_eq %s8, %x8 : tensor<f32>
    check.expect_eq %u8, %s7 : tensor<f32>
    %s9, %n9, %u9 = train.adjust_loss_scale %s8, %n8 of %count if %yes factor 2.0 window 3
    %x9 = arith.constant dense<16.0> : tensor<f32>
    check.expect_eq %s9, %x9 : tensor<f32>
    check.expect_eq %u9, %s8 : tensor<f32>
    %s10, %n10, %u10 = train.adjust_loss_scale %s9, %n9 of %count if %no factor 2.0 window 3
    %x10 = arith.constant dense<8.0> : tensor<f32>
    check.expect_eq %s10, %x10 : tensor<f32>
    check.expect_eq %u10, %s9 : tensor<f32>
    %s11, %n11, %u11 = train.adjust_loss_scale %s10, %n10 of %count if %no factor 2.0 window 3
    %x11 = arith.constant dense<4.0> : tensor<f32>
    check.expect_eq %s11, %x11 : tensor<f32>
    check.expect_eq %u11, %s10 : tensor<f32>
    %s12, %n12, %u12 = train.adjust_loss_scale %s11, %n11 of %count if %no factor 2.0 window 3
    %x12 = arith.constant dense<2.0> : tensor<f32>
    check.expect_eq %s12, %x12 : tensor<f32>
    check.expect_eq %u12, %s11 : tensor<f32>
    %s13, %n13, %u13 = train.adjust_loss_scale %s12, %n12 of %count if %no factor 2.0 window 3
    %x13 = arith.constant dense<1.0> : tensor<f32>
    check.expect_eq %s13, %x13 : tensor<f32>
    check.expect_eq %u13, %s12 : tensor<f32>
    %s14, %n14, %u14 = train.adjust_loss_scale %s13, %n13 of %count if %no factor 2.0 window 3
    %x14 = arith.constant dense<1.0> : tensor<f32>
    check.expect_eq %s14, %x14 : tensor<f32>
    check.expect_eq %u14, %s13 : tensor<f32>

    // No sample, and no weight, whatever the flag is.
    %a, %b, %c = train.adjust_loss_scale %s3, %n2 of %none if %no factor 2.0 window 3
    check.expect_eq %a, %s3 : tensor<f32>
    check.expect_eq %b, %n2 : tensor<i64>
    %d, %e, %f = train.adjust_loss_scale %s3, %n2 of weight %nothing if %no factor 2.0 window 3
    check.expect_eq %d, %s3 : tensor<f32>
    check.expect_eq %e, %n2 : tensor<i64>
    %g, %h, %i = train.adjust_loss_scale %s3, %n2 of weight %some if %no factor 2.0 window 3
    check.expect_eq %g, %s0 : tensor<f32>
    check.expect_eq %h, %n0 : tensor<i64>

    // Twice 2^127 is infinite; the count begins again.
    %high = arith.constant dense<0x7F000000> : tensor<f32>
    %j, %k, %l = train.adjust_loss_scale %high, %n2 of %count if %yes factor 2.0 window 3
    check.expect_eq %j, %high : tensor<f32>
    check.expect_eq %k, %n0 : tensor<i64>

    %gradient = arith.constant dense<[8.0, -20.0]> : tensor<2xf32>
    %m = train.unscale_gradient %gradient by %s0 : tensor<2xf32>
    %m_x = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
    check.expect_eq %m, %m_x : tensor<2xf32>
    return
  }
}
