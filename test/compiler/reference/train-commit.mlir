// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Flags of train.commit under both policies, and what counts and corrects by them, then
// the ops against their lowering; a correction is rounded once, to f32.
train.program @commit batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @both(%loss: tensor<f32>, %count: tensor<i64>, %ranks: tensor<i64>,
                          %g: tensor<2xf32>, %before: tensor<i32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %a, %f = train.commit count(%count) after(%before) nonfinite_ranks(%ranks)
        finite(%loss, %g : tensor<f32>, tensor<2xf32>) on_nonfinite fail
    %b, %s = train.commit count(%count) after(%before) nonfinite_ranks(%ranks)
        finite(%loss, %g : tensor<f32>, tensor<2xf32>) on_nonfinite skip
    return %a, %f, %b, %s : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %one = arith.constant dense<1.0> : tensor<f32>
    %inf = arith.constant dense<0x7F800000> : tensor<f32>
    %four = arith.constant dense<4> : tensor<i64>
    %none = arith.constant dense<0> : tensor<i64>
    %g = arith.constant dense<[4.0, -8.0]> : tensor<2xf32>
    %bad = arith.constant dense<[4.0, 0x7FC00000]> : tensor<2xf32>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>

    %r:4 = func.call @both(%one, %four, %none, %g, %no)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %r#0, %yes : tensor<i32>
    check.expect_eq %r#1, %no : tensor<i32>
    check.expect_eq %r#2, %yes : tensor<i32>
    check.expect_eq %r#3, %no : tensor<i32>

    // No sample, an infinite loss, a gradient that is NaN, a rank that found one.
    %s:4 = func.call @both(%one, %none, %none, %g, %no)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %t:4 = func.call @both(%inf, %four, %none, %g, %no)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %u:4 = func.call @both(%one, %four, %none, %bad, %no)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %v:4 = func.call @both(%one, %four, %four, %g, %no)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %s#0, %no : tensor<i32>
    check.expect_eq %s#1, %yes : tensor<i32>
    check.expect_eq %s#2, %no : tensor<i32>
    check.expect_eq %s#3, %no : tensor<i32>
    check.expect_eq %t#0, %no : tensor<i32>
    check.expect_eq %t#1, %yes : tensor<i32>
    check.expect_eq %t#2, %no : tensor<i32>
    check.expect_eq %t#3, %no : tensor<i32>
    check.expect_eq %u#0, %no : tensor<i32>
    check.expect_eq %u#1, %yes : tensor<i32>
    check.expect_eq %u#2, %no : tensor<i32>
    check.expect_eq %u#3, %no : tensor<i32>
    check.expect_eq %v#0, %no : tensor<i32>
    check.expect_eq %v#1, %yes : tensor<i32>
    check.expect_eq %v#2, %no : tensor<i32>
    check.expect_eq %v#3, %no : tensor<i32>

    // After a step that failed none is applied.
    %w:4 = func.call @both(%one, %four, %none, %g, %yes)
        : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<i32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %w#0, %no : tensor<i32>
    check.expect_eq %w#1, %yes : tensor<i32>
    check.expect_eq %w#2, %no : tensor<i32>
    check.expect_eq %w#3, %yes : tensor<i32>

    // Samples without weight: not applied, and nothing has failed.
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %wa, %wf = train.commit count(%four) weight(%one) after(%no)
        finite(%one : tensor<f32>) on_nonfinite fail
    %wb, %wg = train.commit count(%four) weight(%nothing) after(%no)
        finite(%one : tensor<f32>) on_nonfinite fail
    %wc, %wh = train.commit count(%four) weight(%nothing) after(%no)
        finite(%inf : tensor<f32>) on_nonfinite fail
    check.expect_eq %wa, %yes : tensor<i32>
    check.expect_eq %wf, %no : tensor<i32>
    check.expect_eq %wb, %no : tensor<i32>
    check.expect_eq %wg, %no : tensor<i32>
    check.expect_eq %wc, %no : tensor<i32>
    check.expect_eq %wh, %yes : tensor<i32>

    %five = train.count_applied %four if %yes
    %still = train.count_applied %four if %no
    %five_x = arith.constant dense<5> : tensor<i64>
    check.expect_eq %five, %five_x : tensor<i64>
    check.expect_eq %still, %four : tensor<i64>
    %c0 = train.one_minus_power %none base 0.5
    %c5 = train.one_minus_power %five base 0.5
    %c0_x = arith.constant dense<0.0> : tensor<f32>
    %c5_x = arith.constant dense<0.96875> : tensor<f32>
    check.expect_eq %c0, %c0_x : tensor<f32>
    check.expect_eq %c5, %c5_x : tensor<f32>
    return
  }
  func.func @drawn(%loss: tensor<f32>, %g: tensor<3x2xf32>, %h: tensor<4xf32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,
          tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<f32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,
          tensor<i32>) {
    %weight = arith.constant dense<0.125> : tensor<f32>
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %no0 = arith.constant dense<0> : tensor<i32>
    %of = arith.constant dense<3> : tensor<i64>
    %wa, %wf = train.commit count(%of) weight(%weight) after(%no0)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %wb, %wg = train.commit count(%of) weight(%nothing) after(%no0)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %wc, %wh = train.commit count(%of) weight(%nothing) after(%no0) nonfinite_ranks(%of)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite skip
    %three = arith.constant dense<3> : tensor<i64>
    %none = arith.constant dense<0> : tensor<i64>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %a, %f = train.commit count(%three) after(%no)
        finite(%loss, %g, %h : tensor<f32>, tensor<3x2xf32>, tensor<4xf32>) on_nonfinite fail
    %nan = arith.constant dense<[1.0, 2.0, 0x7FC00000, 3.0]> : tensor<4xf32>
    %b, %s = train.commit count(%three) after(%no)
        finite(%loss, %nan : tensor<f32>, tensor<4xf32>) on_nonfinite fail
    %c, %t = train.commit count(%three) after(%no) nonfinite_ranks(%three) on_nonfinite skip
    %n = train.count_applied %three if %a
    %m = train.count_applied %three if %b
    %long = arith.constant dense<123456789> : tensor<i64>
    %longest = arith.constant dense<9223372036854775807> : tensor<i64>
    %p0 = train.one_minus_power %none base 0.999
    %p1 = train.one_minus_power %n base 0.9
    %p2 = train.one_minus_power %long base 0.99999999
    %p3 = train.one_minus_power %longest base 0.999999999
    %p4 = train.one_minus_power %n base 0.0
    return %a, %f, %b, %s, %c, %t, %n, %m, %p0, %p1, %p2, %p3, %p4,
        %wa, %wf, %wb, %wg, %wc, %wh
        : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,
          tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<f32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,
          tensor<i32>
  }
}
