// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'

// Values of train.initialize, and that the library call rt.fill it becomes gives the same
// ones bit for bit.
train.program @initialize batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %seed = arith.constant dense<1> : tensor<i64>
    %c = train.initialize "c" <constant, 0.25, 0.0> seed(%seed) : tensor<3xf32>
    %c_x = arith.constant dense<0.25> : tensor<3xf32>
    check.expect_eq %c, %c_x : tensor<3xf32>

    // Equal names are equal numbers, whatever the shape; the library draws the same.
    %u = train.initialize "u" <uniform, -2.0, 3.0> seed(%seed) : tensor<2x3xf32>
    %v = train.initialize "u" <uniform, -2.0, 3.0> seed(%seed) : tensor<6xf32>
    %flat = tensor.collapse_shape %u [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    check.expect_eq %flat, %v : tensor<6xf32>
    %e = tensor.empty() : tensor<6xf32>
    %f = rt.fill "u" <uniform, -2.0, 3.0> seed(%seed : tensor<i64>)
        outs(%e : tensor<6xf32>) -> tensor<6xf32>
    check.expect_eq %f, %v : tensor<6xf32>

    // In [-2, 3).
    %middle = arith.constant dense<0.5> : tensor<6xf32>
    check.expect_close %v, %middle atol 2.5 rtol 0.0 : tensor<6xf32>
    // A deviation of 0 is the mean.
    %n = train.initialize "n" <normal, 1.5, 0.0> seed(%seed) : tensor<4xf32>
    %n_x = arith.constant dense<1.5> : tensor<4xf32>
    check.expect_eq %n, %n_x : tensor<4xf32>
    return
  }
  func.func @drawn(%seed: tensor<i64>)
      -> (tensor<4xf32>, tensor<5x3xf32>, tensor<7xf32>) {
    %c = train.initialize "c" <constant, 0.1, 0.0> seed(%seed) : tensor<4xf32>
    %u = train.initialize "u" <uniform, -2.0, 3.0> seed(%seed) : tensor<5x3xf32>
    %n = train.initialize "n" <normal, -1.0, 0.5> seed(%seed) : tensor<7xf32>
    return %c, %u, %n : tensor<4xf32>, tensor<5x3xf32>, tensor<7xf32>
  }
}
