// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=false}))'

// Two steps of Muon with momentum 0.95, Nesterov, weight decay 0.1 and rate 0.02, and one of a
// matrix with more rows than columns, against numbers that were computed from its formulas in
// double precision, given to 9 digits; then the op against its lowerings.
train.program @muon batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %yes = arith.constant dense<1> : tensor<i32>
    %rate = arith.constant dense<0.02> : tensor<f32>
    %v0 = arith.constant dense<0.0> : tensor<2x3xf32>
    %w0 = arith.constant dense<[[1.0, -2.0, 0.5], [0.0, 1.0, -1.0]]> : tensor<2x3xf32>
    %g1 = arith.constant dense<[[0.5, 0.2, -0.1], [0.3, -0.4, 0.2]]> : tensor<2x3xf32>
    %g2 = arith.constant dense<[[-0.2, 0.1, 0.4], [0.1, 0.3, -0.2]]> : tensor<2x3xf32>
    %v1 = train.moving_average %v0 of %g1 decay 0.95 if %yes : tensor<2x3xf32>
    %u1 = train.moving_average %v1 of %g1 decay 0.95 if %yes : tensor<2x3xf32>
    %o1 = train.orthogonalize %u1 scale 1.0 : tensor<2x3xf32>
    %o1_x = arith.constant dense<[[0.916793808, 0.430238226, -0.215119113], [0.518315934, -0.796955749, 0.398477874]]> : tensor<2x3xf32>
    check.expect_close %o1, %o1_x atol 1.0e-7 rtol 0.0 : tensor<2x3xf32>
    %w1 = train.sgd %w0, %o1, %rate weight_decay 0.1 if %yes : tensor<2x3xf32>
    %w1_x = arith.constant dense<[[0.979664124, -2.004604765, 0.503302382], [-0.010366319, 1.013939115, -1.005969557]]> : tensor<2x3xf32>
    check.expect_close %w1, %w1_x atol 2.0e-7 rtol 0.0 : tensor<2x3xf32>
    %v2 = train.moving_average %v1 of %g2 decay 0.95 if %yes : tensor<2x3xf32>
    %u2 = train.moving_average %v2 of %g2 decay 0.95 if %yes : tensor<2x3xf32>
    %o2 = train.orthogonalize %u2 scale 1.0 : tensor<2x3xf32>
    %w2 = train.sgd %w1, %o2, %rate weight_decay 0.1 if %yes : tensor<2x3xf32>
    %w2_x = arith.constant dense<[[0.976137806, -2.011274194, 0.482427367], [-0.021835810, 1.006526056, -0.998496940]]> : tensor<2x3xf32>
    check.expect_close %w2, %w2_x atol 2.0e-7 rtol 0.0 : tensor<2x3xf32>

    %tall = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
    %o = train.orthogonalize %tall scale 1.0 : tensor<3x2xf32>
    %o_x = arith.constant dense<[[0.639041553, -0.126396977], [-0.126396977, 0.639041553], [0.512644576, 0.512644576]]> : tensor<3x2xf32>
    check.expect_close %o, %o_x atol 1.0e-7 rtol 0.0 : tensor<3x2xf32>
    // Nothing has no direction.
    %none = train.orthogonalize %v0 scale 1.0 : tensor<2x3xf32>
    check.expect_eq %none, %v0 : tensor<2x3xf32>
    return
  }

  func.func @drawn(%wide: tensor<3x5xf32>, %tall: tensor<7x2xf32>, %kernel: tensor<4x2x3x3xf32>)
      -> (tensor<3x5xf32>, tensor<7x2xf32>, tensor<4x2x3x3xf32>) {
    %0 = train.orthogonalize %wide scale 1.0 : tensor<3x5xf32>
    %1 = train.orthogonalize %tall scale 1.8708286933869707 : tensor<7x2xf32>
    %2 = train.orthogonalize %kernel scale 0.5 : tensor<4x2x3x3xf32>
    return %0, %1, %2 : tensor<3x5xf32>, tensor<7x2xf32>, tensor<4x2x3x3xf32>
  }
}
