// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'
// RUN: boost-interpret %s --function=chained --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Values of train.commit with two first-order rules, then on drawn numbers the ops
// against their lowering, whose constants are f32: those here are exact in it.
train.program @update batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @step(%loss: tensor<f32>, %count: tensor<i64>, %g: tensor<2xf32>,
                          %h: tensor<2xf32>, %w: tensor<2xf32>, %u: tensor<2xf32>,
                          %v: tensor<2xf32>, %lr: tensor<f32>, %before: tensor<i32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%loss, %g, %h : tensor<f32>, tensor<2xf32>, tensor<2xf32>) on_nonfinite fail
    %mg = train.divide_gradient %g by %count : tensor<2xf32>
    %mh = train.divide_gradient %h by %count : tensor<2xf32>
    %w1 = train.sgd %w, %mg, %lr weight_decay 0.5 if %applied : tensor<2xf32>
    %u1, %v1 = train.momentum %u, %mh, %lr, %v momentum 0.75 weight_decay 0.25
        if %applied : tensor<2xf32>
    return %w1, %u1, %v1, %applied
        : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>
  }
  func.func @main() {
    %loss = arith.constant dense<1.0> : tensor<f32>
    %nan = arith.constant dense<0x7FC00000> : tensor<f32>
    %four = arith.constant dense<4> : tensor<i64>
    %none = arith.constant dense<0> : tensor<i64>
    %g = arith.constant dense<[4.0, -8.0]> : tensor<2xf32>
    %h = arith.constant dense<[2.0, 0.0]> : tensor<2xf32>
    %bad = arith.constant dense<[4.0, 0x7F800000]> : tensor<2xf32>
    %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %u = arith.constant dense<[-1.0, 4.0]> : tensor<2xf32>
    %v = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %lr = arith.constant dense<0.5> : tensor<f32>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>

    // w - lr (g / 4 + 0.5 w); v = 0.75 v + h / 4 + 0.25 u; u - lr v.
    %r:4 = func.call @step(%loss, %four, %g, %h, %w, %u, %v, %lr, %no)
        : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %w_x = arith.constant dense<[0.25, 2.5]> : tensor<2xf32>
    %v_x = arith.constant dense<[1.0, 0.25]> : tensor<2xf32>
    %u_x = arith.constant dense<[-1.5, 3.875]> : tensor<2xf32>
    check.expect_eq %r#0, %w_x : tensor<2xf32>
    check.expect_eq %r#1, %u_x : tensor<2xf32>
    check.expect_eq %r#2, %v_x : tensor<2xf32>
    check.expect_eq %r#3, %yes : tensor<i32>

    // Nothing changes when there are no samples, the loss or a gradient is not finite, or
    // the step before was not applied.
    %a:4 = func.call @step(%loss, %none, %g, %h, %w, %u, %v, %lr, %no)
        : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %b:4 = func.call @step(%nan, %four, %g, %h, %w, %u, %v, %lr, %no)
        : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %c:4 = func.call @step(%loss, %four, %g, %bad, %w, %u, %v, %lr, %no)
        : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    %d:4 = func.call @step(%loss, %four, %g, %h, %w, %u, %v, %lr, %yes)
        : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
    check.expect_eq %a#0, %w : tensor<2xf32>
    check.expect_eq %a#1, %u : tensor<2xf32>
    check.expect_eq %a#2, %v : tensor<2xf32>
    check.expect_eq %a#3, %no : tensor<i32>
    check.expect_eq %b#0, %w : tensor<2xf32>
    check.expect_eq %b#1, %u : tensor<2xf32>
    check.expect_eq %b#2, %v : tensor<2xf32>
    check.expect_eq %b#3, %no : tensor<i32>
    check.expect_eq %c#0, %w : tensor<2xf32>
    check.expect_eq %c#1, %u : tensor<2xf32>
    check.expect_eq %c#2, %v : tensor<2xf32>
    check.expect_eq %c#3, %no : tensor<i32>
    check.expect_eq %d#0, %w : tensor<2xf32>
    check.expect_eq %d#1, %u : tensor<2xf32>
    check.expect_eq %d#2, %v : tensor<2xf32>
    check.expect_eq %d#3, %no : tensor<i32>
    return
  }
  func.func @drawn(%loss: tensor<f32>, %g: tensor<3x2xf32>, %h: tensor<4xf32>,
                   %w: tensor<3x2xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>,
                   %lr: tensor<f32>)
      -> (tensor<3x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<3x2xf32>,
          tensor<i32>, tensor<3x2xf32>, tensor<i32>, tensor<3x2xf32>, tensor<i32>,
          tensor<3x2xf32>, tensor<i32>) {
    %three = arith.constant dense<3> : tensor<i64>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %applied, %failed = train.commit count(%three) after(%no)
        finite(%loss, %g, %h : tensor<f32>, tensor<3x2xf32>, tensor<4xf32>) on_nonfinite fail
    %mg = train.divide_gradient %g by %three : tensor<3x2xf32>
    %mh = train.divide_gradient %h by %three : tensor<4xf32>
    %w1 = train.sgd %w, %mg, %lr weight_decay 0.125 if %applied : tensor<3x2xf32>
    %u1, %v1 = train.momentum %u, %mh, %lr, %v momentum 0.875 weight_decay 0.0625
        if %applied : tensor<4xf32>
    // What must not be committed, for each reason.
    %none = arith.constant dense<0> : tensor<i64>
    %applied1, %failed1 = train.commit count(%none) after(%no)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mg1 = train.divide_gradient %g by %none : tensor<3x2xf32>
    %w11 = train.sgd %w, %mg1, %lr weight_decay 0.0 if %applied1 : tensor<3x2xf32>
    %infinite = arith.constant dense<0xFF800000> : tensor<f32>
    %applied2, %failed2 = train.commit count(%three) after(%no)
        finite(%infinite, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mg2 = train.divide_gradient %g by %three : tensor<3x2xf32>
    %w12 = train.sgd %w, %mg2, %lr weight_decay 0.0 if %applied2 : tensor<3x2xf32>
    %nan = arith.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 0x7FC00000]]>
        : tensor<3x2xf32>
    %applied3, %failed3 = train.commit count(%three) after(%no)
        finite(%loss, %nan : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mg3 = train.divide_gradient %nan by %three : tensor<3x2xf32>
    %w13 = train.sgd %w, %mg3, %lr weight_decay 0.0 if %applied3 : tensor<3x2xf32>
    %applied4, %failed4 = train.commit count(%three) after(%yes)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mg4 = train.divide_gradient %g by %three : tensor<3x2xf32>
    %w14 = train.sgd %w, %mg4, %lr weight_decay 0.0 if %applied4 : tensor<3x2xf32>
    return %w1, %u1, %v1, %applied, %w11, %applied1, %w12, %applied2, %w13, %applied3, %w14, %applied4
        : tensor<3x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<3x2xf32>,
          tensor<i32>, tensor<3x2xf32>, tensor<i32>, tensor<3x2xf32>, tensor<i32>,
          tensor<3x2xf32>, tensor<i32>
  }
  // A rule on what another one made, and a mean with two readers.
  func.func @chained(%loss: tensor<f32>, %g: tensor<3x2xf32>, %w: tensor<3x2xf32>,
                     %lr: tensor<f32>) -> (tensor<3x2xf32>, tensor<f32>) {
    %three = arith.constant dense<3> : tensor<i64>
    %no = arith.constant dense<0> : tensor<i32>
    %applied, %failed = train.commit count(%three) after(%no)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mean = train.divide_gradient %g by %three : tensor<3x2xf32>
    %half = train.sgd %w, %mean, %lr weight_decay 0.0 if %applied : tensor<3x2xf32>
    %new = train.sgd %half, %mean, %lr weight_decay 0.0 if %applied : tensor<3x2xf32>
    %norm = train.squared_norm %mean : tensor<3x2xf32>
    return %new, %norm : tensor<3x2xf32>, tensor<f32>
  }
  // Rules with corrections and with a rate for the tensor.
  func.func @adaptive(%loss: tensor<f32>, %g: tensor<3x2xf32>, %w: tensor<3x2xf32>,
                      %m: tensor<3x2xf32>, %lr: tensor<f32>)
      -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
    %three = arith.constant dense<3> : tensor<i64>
    %no = arith.constant dense<0> : tensor<i32>
    %applied, %failed = train.commit count(%three) after(%no)
        finite(%loss, %g : tensor<f32>, tensor<3x2xf32>) on_nonfinite fail
    %mean = train.divide_gradient %g by %three : tensor<3x2xf32>
    %c1 = train.one_minus_power %three base 0.75
    %c2 = train.one_minus_power %three base 0.875
    %v = arith.constant dense<0.5> : tensor<3x2xf32>
    %a, %m1, %v1 = train.adam %w, %mean, %lr, %m, %v corrections(%c1, %c2) betas 0.75, 0.875
        epsilon 0.0625 weight_decay 0.125 if %applied : tensor<3x2xf32>
    %ww = train.squared_norm %w : tensor<3x2xf32>
    %gg = train.squared_norm %mean : tensor<3x2xf32>
    %ratio = train.trust_ratio %ww, %gg coefficient 0.25 weight_decay 0.5 epsilon 0.0
    %l, %m2 = train.lars %w, %mean, %lr, %m ratio(%ratio) momentum 0.75 weight_decay 0.5
        if %applied : tensor<3x2xf32>
    return %a, %m1, %v1, %l, %m2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>,
        tensor<3x2xf32>, tensor<3x2xf32>
  }
}
