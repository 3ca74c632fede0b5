// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=kept --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'

// A mean of which a step keeps a share is 0 where it would be subnormal, and weights stay; numbers from 2^-126
// on are kept. 1.5e-38 * 0.75 is below, 1.6e-38 * 0.75 is 1.2e-38; 2^-126 is 1.1754944e-38.
train.program @rules batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %w, %momentum, %lars, %adam, %average = func.call @kept()
        : () -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %expected = arith.constant dense<[0.0, 0.0, 1.2e-38]> : tensor<3xf32>
    check.expect_close %momentum, %expected atol 0.0 rtol 1.0e-6 : tensor<3xf32>
    check.expect_close %lars, %expected atol 0.0 rtol 1.0e-6 : tensor<3xf32>
    check.expect_close %adam, %expected atol 0.0 rtol 1.0e-6 : tensor<3xf32>
    check.expect_close %average, %expected atol 0.0 rtol 1.0e-6 : tensor<3xf32>
    %ones = arith.constant dense<1.0> : tensor<3xf32>
    check.expect_close %w, %ones atol 0.0 rtol 1.0e-7 : tensor<3xf32>
    return
  }
  func.func @kept()
      -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %v = arith.constant dense<[1.5e-38, -1.5e-38, 1.6e-38]> : tensor<3xf32>
    %applied = arith.constant dense<1> : tensor<i32>
    %lr = arith.constant dense<0.125> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %w = arith.constant dense<1.0> : tensor<3xf32>
    %g = arith.constant dense<0.0> : tensor<3xf32>
    %w1, %momentum = train.momentum %w, %g, %lr, %v momentum 0.75 weight_decay 0.0
        if %applied : tensor<3xf32>
    %w2, %lars = train.lars %w1, %g, %lr, %v ratio(%one) momentum 0.75 weight_decay 0.0
        if %applied : tensor<3xf32>
    %w3, %adam, %second = train.adam %w2, %g, %lr, %v, %w corrections(%one, %one)
        betas 0.75, 0.5 epsilon 0.0 weight_decay 0.0 if %applied : tensor<3xf32>
    %average = train.moving_average %v of %g decay 0.75 if %applied : tensor<3xf32>
    return %w3, %momentum, %lars, %adam, %average
        : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
