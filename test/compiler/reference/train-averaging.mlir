// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Values of train.divide_gradient and train.has_samples, then on drawn numbers the ops
// against their lowering.
train.program @averaging batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %g = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
    %four = arith.constant dense<4> : tensor<i64>
    %none = arith.constant dense<0> : tensor<i64>
    %one = arith.constant dense<1> : tensor<i64>
    %m = train.divide_gradient %g by %four : tensor<2xf32>
    %m_x = arith.constant dense<[0.25, -0.625]> : tensor<2xf32>
    check.expect_eq %m, %m_x : tensor<2xf32>
    %z = train.divide_gradient %g by %none : tensor<2xf32>
    check.expect_eq %z, %g : tensor<2xf32>
    // A sum of weights may be below 1; without weight the mean is 0.
    %eighth = arith.constant dense<0.125> : tensor<f32>
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %w = train.divide_gradient %g by weight %eighth : tensor<2xf32>
    %w_x = arith.constant dense<[8.0, -20.0]> : tensor<2xf32>
    check.expect_eq %w, %w_x : tensor<2xf32>
    %v = train.divide_gradient %g by weight %nothing : tensor<2xf32>
    %v_x = arith.constant dense<0.0> : tensor<2xf32>
    check.expect_eq %v, %v_x : tensor<2xf32>
    %yes = train.has_samples %four
    %no = train.has_samples %none
    check.expect_eq %yes, %one : tensor<i64>
    check.expect_eq %no, %none : tensor<i64>
    %some = train.has_samples weight %eighth
    %without = train.has_samples weight %nothing
    check.expect_eq %some, %one : tensor<i64>
    check.expect_eq %without, %none : tensor<i64>
    return
  }
  func.func @drawn(%g: tensor<4x3xf32>, %s: tensor<f32>, %n: tensor<i64>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>, tensor<i64>,
          tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i64>) {
    %nothing = arith.constant dense<0.0> : tensor<f32>
    %w = train.divide_gradient %g by weight %s : tensor<4x3xf32>
    %v = train.divide_gradient %g by weight %nothing : tensor<4x3xf32>
    %none = arith.constant dense<0> : tensor<i64>
    %m = train.divide_gradient %g by %n : tensor<4x3xf32>
    %z = train.divide_gradient %g by %none : tensor<4x3xf32>
    %t = train.divide_gradient %s by %n : tensor<f32>
    %has = train.has_samples %n
    %hasNot = train.has_samples %none
    %some = train.has_samples weight %s
    %without = train.has_samples weight %nothing
    return %m, %z, %t, %has, %hasNot, %w, %v, %some, %without
        : tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>, tensor<i64>,
          tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i64>
  }
}
