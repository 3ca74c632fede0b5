// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Values of train.not_finite, train.apply_delta and rules that give deltas, then
// on drawn numbers the ops against their lowering.
train.program @change batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @step(%nonfinite_ranks: tensor<i64>, %count: tensor<i64>, %divisor: tensor<i64>,
                          %g: tensor<2xf32>, %w: tensor<2xf32>, %v: tensor<2xf32>,
                          %lr: tensor<f32>, %before: tensor<i32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) {
    %applied, %failed = train.commit count(%count) after(%before)
        nonfinite_ranks(%nonfinite_ranks) on_nonfinite fail
    %mean = train.divide_gradient %g by %divisor : tensor<2xf32>
    %d, %v1 = train.momentum %w, %mean, %lr, %v momentum 0.75 weight_decay 0.25
        if %applied delta : tensor<2xf32>
    %w1 = train.apply_delta %d to %w if %applied : tensor<2xf32>
    return %d, %w1, %v1, %applied : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>
  }
  func.func @main() {
    %none = arith.constant dense<0> : tensor<i64>
    %one = arith.constant dense<1> : tensor<i64>
    %four = arith.constant dense<4> : tensor<i64>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %g = arith.constant dense<[2.0, 0.0]> : tensor<2xf32>
    %bad = arith.constant dense<[4.0, 0x7F800000]> : tensor<2xf32>
    %w = arith.constant dense<[-1.0, 4.0]> : tensor<2xf32>
    %v = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %lr = arith.constant dense<0.5> : tensor<f32>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %fine = train.not_finite (%g, %w : tensor<2xf32>, tensor<2xf32>)
    %found = train.not_finite (%g, %bad : tensor<2xf32>, tensor<2xf32>)
    check.expect_eq %fine, %none : tensor<i64>
    check.expect_eq %found, %one : tensor<i64>

    // v = 0.75 v + g / 4 + 0.25 w; the change is -lr v.
    %r:4 = func.call @step(%none, %one, %four, %g, %w, %v, %lr, %no)
        : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %d_x = arith.constant dense<[-0.5, -0.125]> : tensor<2xf32>
    %w_x = arith.constant dense<[-1.5, 3.875]> : tensor<2xf32>
    %v_x = arith.constant dense<[1.0, 0.25]> : tensor<2xf32>
    check.expect_eq %r#0, %d_x : tensor<2xf32>
    check.expect_eq %r#1, %w_x : tensor<2xf32>
    check.expect_eq %r#2, %v_x : tensor<2xf32>
    check.expect_eq %r#3, %yes : tensor<i32>

    // A rank that found a NaN, no sample anywhere, or a step before that was not applied: no change.
    %a:4 = func.call @step(%four, %one, %four, %g, %w, %v, %lr, %no)
        : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %b:4 = func.call @step(%none, %none, %four, %g, %w, %v, %lr, %no)
        : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %c:4 = func.call @step(%none, %one, %four, %g, %w, %v, %lr, %yes)
        : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    check.expect_eq %a#0, %zero : tensor<2xf32>
    check.expect_eq %a#1, %w : tensor<2xf32>
    check.expect_eq %a#2, %v : tensor<2xf32>
    check.expect_eq %a#3, %no : tensor<i32>
    check.expect_eq %b#0, %zero : tensor<2xf32>
    check.expect_eq %b#1, %w : tensor<2xf32>
    check.expect_eq %b#2, %v : tensor<2xf32>
    check.expect_eq %b#3, %no : tensor<i32>
    check.expect_eq %c#0, %zero : tensor<2xf32>
    check.expect_eq %c#1, %w : tensor<2xf32>
    check.expect_eq %c#2, %v : tensor<2xf32>
    check.expect_eq %c#3, %no : tensor<i32>
    return
  }
  func.func @drawn(%nonfinite_ranks: tensor<i64>, %count: tensor<i64>, %divisor: tensor<i64>,
                   %g: tensor<4x3xf32>, %w: tensor<4x3xf32>, %v: tensor<4x3xf32>,
                   %lr: tensor<f32>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<i32>, tensor<4x3xf32>,
          tensor<i32>, tensor<i64>) {
    %none = arith.constant dense<0> : tensor<i64>
    %no = arith.constant dense<0> : tensor<i32>
    %nf = train.not_finite (%lr, %g : tensor<f32>, tensor<4x3xf32>)
    %applied, %failed = train.commit count(%count) after(%no) nonfinite_ranks(%none) on_nonfinite fail
    %mean = train.divide_gradient %g by %divisor : tensor<4x3xf32>
    %cut = train.clamp_gradient %mean limit 0.5 : tensor<4x3xf32>
    %d, %v1 = train.momentum %w, %cut, %lr, %v momentum 0.75 weight_decay 0.25
        if %applied delta : tensor<4x3xf32>
    %w1 = train.apply_delta %d to %w if %applied : tensor<4x3xf32>
    // With a divisor of 0 the sum stays as it is.
    %applied1, %failed1 = train.commit count(%count) after(%no)
        finite(%lr, %g : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %mean1 = train.divide_gradient %g by %none : tensor<4x3xf32>
    %w21 = train.sgd %w, %mean1, %lr weight_decay 0.0 if %applied1 : tensor<4x3xf32>
    return %d, %w1, %v1, %applied, %w21, %applied1, %nf
        : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<i32>, tensor<4x3xf32>,
          tensor<i32>, tensor<i64>
  }
}
