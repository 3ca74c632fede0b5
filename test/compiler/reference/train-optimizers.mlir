// RUN: boost-interpret %s

// Golden numbers: momentum 0.9 and rate 0.1 from w = 1 with gradients 0.5, 0.2, -0.1,
// plain and Nesterov (0.905, 0.8265, 0.79285); Adam's first step, which is the rate
// whatever the gradient; LARS with a ratio of |w| / |g|.
func.func @main() {
  %applied = arith.constant dense<1> : tensor<i32>
  %lr = arith.constant dense<0.1> : tensor<f32>
  %w = arith.constant dense<1.0> : tensor<1xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %g1 = arith.constant dense<0.5> : tensor<1xf32>
  %g2 = arith.constant dense<0.2> : tensor<1xf32>
  %g3 = arith.constant dense<-0.1> : tensor<1xf32>

  %a1, %u1 = train.momentum %w, %g1, %lr, %zero momentum 0.9 weight_decay 0.0
      if %applied : tensor<1xf32>
  %a2, %u2 = train.momentum %a1, %g2, %lr, %u1 momentum 0.9 weight_decay 0.0
      if %applied : tensor<1xf32>
  %a3, %u3 = train.momentum %a2, %g3, %lr, %u2 momentum 0.9 weight_decay 0.0
      if %applied : tensor<1xf32>
  %plain = arith.constant dense<0.8365> : tensor<1xf32>
  check.expect_close %a3, %plain atol 0.0 rtol 1.0e-7 : tensor<1xf32>

  %b1, %v1 = train.momentum %w, %g1, %lr, %zero momentum 0.9 weight_decay 0.0 nesterov
      if %applied : tensor<1xf32>
  %b2, %v2 = train.momentum %b1, %g2, %lr, %v1 momentum 0.9 weight_decay 0.0 nesterov
      if %applied : tensor<1xf32>
  %b3, %v3 = train.momentum %b2, %g3, %lr, %v2 momentum 0.9 weight_decay 0.0 nesterov
      if %applied : tensor<1xf32>
  %nesterov = arith.constant dense<0.79285> : tensor<1xf32>
  check.expect_close %b3, %nesterov atol 0.0 rtol 1.0e-7 : tensor<1xf32>

  // 1 - 0.9 and 1 - 0.999 at the first update.
  %c1 = arith.constant dense<0.1> : tensor<f32>
  %c2 = arith.constant dense<0.001> : tensor<f32>
  %d, %m, %s = train.adam %w, %g1, %lr, %zero, %zero corrections(%c1, %c2)
      betas 0.9, 0.999 epsilon 0.0 weight_decay 0.0 if %applied : tensor<1xf32>
  %adam = arith.constant dense<0.9> : tensor<1xf32>
  check.expect_close %d, %adam atol 0.0 rtol 1.0e-6 : tensor<1xf32>
  // Decay next to the moments: 0.1 * 0.5 * w more.
  %e, %m2, %s2 = train.adam %w, %g1, %lr, %zero, %zero corrections(%c1, %c2)
      betas 0.9, 0.999 epsilon 0.0 weight_decay 0.5 decoupled if %applied : tensor<1xf32>
  %adamw = arith.constant dense<0.85> : tensor<1xf32>
  check.expect_close %e, %adamw atol 0.0 rtol 1.0e-6 : tensor<1xf32>

  // 2 / (0.5 + 0.25 * 2) = 2, times 0.25.
  %two = arith.constant dense<[2.0, 0.0]> : tensor<2xf32>
  %half = arith.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %ww = train.squared_norm %two : tensor<2xf32>
  %gg = train.squared_norm %half : tensor<2xf32>
  %ratio = train.trust_ratio %ww, %gg coefficient 0.25 weight_decay 0.25 epsilon 0.0
  %expected = arith.constant dense<0.5> : tensor<f32>
  check.expect_close %ratio, %expected atol 0.0 rtol 1.0e-7 : tensor<f32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %one = train.trust_ratio %none, %gg coefficient 0.25 weight_decay 0.25 epsilon 0.0
  %unit = arith.constant dense<1.0> : tensor<f32>
  check.expect_eq %one, %unit : tensor<f32>
  // Without a gradient, too.
  %still = train.trust_ratio %ww, %none coefficient 0.25 weight_decay 0.25 epsilon 0.0
  check.expect_eq %still, %unit : tensor<f32>

  // A norm of 5 above a limit of 2.5, and one below.
  %three = arith.constant dense<9.0> : tensor<f32>
  %four = arith.constant dense<16.0> : tensor<f32>
  %norm = train.global_norm %three, %four
  %factor = train.clip_factor %norm limit 2.5
  check.expect_close %factor, %expected atol 0.0 rtol 1.0e-6 : tensor<f32>
  %all = train.clip_factor %norm limit 6.0
  check.expect_eq %all, %unit : tensor<f32>
  return
}
