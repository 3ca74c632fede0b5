// RUN: boost-interpret %s

// Norm, clamp, clip and LARS inside of an update: the lowering test lowers and
// interprets @step again.
train.program @clipped batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @step(%w: tensor<2x3xf32>, %v: tensor<2x3xf32>, %b: tensor<3xf32>,
                  %gw: tensor<2x3xf32>, %gb: tensor<3xf32>, %lr: tensor<f32>,
                  %loss: tensor<f32>)
      -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<i32>, tensor<f32>) {
    %count = arith.constant dense<4> : tensor<i64>
    %no = arith.constant dense<0> : tensor<i32>
    %applied, %failed = train.commit count(%count) after(%no)
        finite(%loss, %gw, %gb : tensor<f32>, tensor<2x3xf32>, tensor<3xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<2x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<3xf32>
    %n0 = train.squared_norm %mw : tensor<2x3xf32>
    %n1 = train.squared_norm %mb : tensor<3xf32>
    %norm = train.global_norm %n0, %n1
    %cw = train.clamp_gradient %mw limit 0.0625 : tensor<2x3xf32>
    %cb = train.clamp_gradient %mb limit 0.0625 : tensor<3xf32>
    %m0 = train.squared_norm %cw : tensor<2x3xf32>
    %m1 = train.squared_norm %cb : tensor<3xf32>
    %cut = train.global_norm %m0, %m1
    %f = train.clip_factor %cut limit 0.125
    %sw = train.scale_gradient %cw by %f : tensor<2x3xf32>
    %sb = train.scale_gradient %cb by %f : tensor<3xf32>
    %ww = train.squared_norm %w : tensor<2x3xf32>
    %gg = train.squared_norm %sw : tensor<2x3xf32>
    %ratio = train.trust_ratio %ww, %gg coefficient 0.25 weight_decay 0.125 epsilon 0.0
    %w1, %v1 = train.lars %w, %sw, %lr, %v ratio(%ratio) momentum 0.5
        weight_decay 0.125 if %applied : tensor<2x3xf32>
    %b1 = train.sgd %b, %sb, %lr weight_decay 0.0 if %applied : tensor<3xf32>
    return %w1, %v1, %b1, %applied, %norm
        : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<i32>, tensor<f32>
  }
  // A norm of 0 on either side leaves the rate alone.
  func.func @ratios(%w: tensor<2x3xf32>) -> (tensor<f32>, tensor<f32>) {
    %none = arith.constant dense<0.0> : tensor<f32>
    %ww = train.squared_norm %w : tensor<2x3xf32>
    %still = train.trust_ratio %ww, %none coefficient 0.25 weight_decay 0.125 epsilon 0.0
    %empty = train.trust_ratio %none, %ww coefficient 0.25 weight_decay 0.125 epsilon 0.0
    return %still, %empty : tensor<f32>, tensor<f32>
  }
  func.func @main() {
    %w = arith.constant dense<1.0> : tensor<2x3xf32>
    %b = arith.constant dense<1.0> : tensor<3xf32>
    %g = arith.constant dense<4.0> : tensor<2x3xf32>
    %h = arith.constant dense<[0.0, 0.0, 4.0]> : tensor<3xf32>
    %lr = arith.constant dense<0.5> : tensor<f32>
    %r:5 = call @step(%w, %w, %b, %g, %h, %lr, %lr)
        : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>,
           tensor<3xf32>, tensor<f32>, tensor<f32>)
        -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<i32>, tensor<f32>)
    // Seven means of 1.
    %norm = arith.constant dense<2.6457513110645906> : tensor<f32>
    check.expect_close %r#4, %norm atol 0.0 rtol 1.0e-7 : tensor<f32>
    %one = arith.constant dense<1> : tensor<i32>
    check.expect_eq %r#3, %one : tensor<i32>
    return
  }
}
