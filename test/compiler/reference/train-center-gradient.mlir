// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Values of train.filter_means and train.center_gradient, then on drawn numbers the ops against
// their lowering.
train.program @centered batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %g = arith.constant dense<[[[1.0, -2.5], [4.0, 0.5]], [[0.0, 0.0], [-8.0, 6.0]]]>
        : tensor<2x2x2xf32>
    %m = train.filter_means %g : tensor<2x2x2xf32>
    %m_x = arith.constant dense<[0.75, -0.5]> : tensor<2xf32>
    check.expect_eq %m, %m_x : tensor<2xf32>
    %c = train.center_gradient %g by %m : tensor<2x2x2xf32>, tensor<2xf32>
    %c_x = arith.constant dense<[[[0.25, -3.25], [3.25, -0.25]], [[0.5, 0.5], [-7.5, 6.5]]]>
        : tensor<2x2x2xf32>
    check.expect_eq %c, %c_x : tensor<2x2x2xf32>
    // An output with one weight gets nothing.
    %one = arith.constant dense<[[3.0], [-1.0]]> : tensor<2x1xf32>
    %own = train.filter_means %one : tensor<2x1xf32>
    %left = train.center_gradient %one by %own : tensor<2x1xf32>, tensor<2xf32>
    %left_x = arith.constant dense<0.0> : tensor<2x1xf32>
    check.expect_eq %left, %left_x : tensor<2x1xf32>
    return
  }
  func.func @drawn(%g: tensor<4x3x2x2xf32>, %d: tensor<5x7xf32>)
      -> (tensor<4xf32>, tensor<4x3x2x2xf32>, tensor<5x7xf32>) {
    %m = train.filter_means %g : tensor<4x3x2x2xf32>
    %c = train.center_gradient %g by %m : tensor<4x3x2x2xf32>, tensor<4xf32>
    %n = train.filter_means %d : tensor<5x7xf32>
    %e = train.center_gradient %d by %n : tensor<5x7xf32>, tensor<5xf32>
    return %m, %c, %e : tensor<4xf32>, tensor<4x3x2x2xf32>, tensor<5x7xf32>
  }
}
