// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Averages after a step against PyTorch's get_ema_multi_avg_fn (Inputs/golden_moving_average.py),
// then the op against its lowering. PyTorch's numbers are rounded to f32 here, by 2^-24 of each.
train.program @averages batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %a = arith.constant dense<[0.5, -1.0, 100.0, 0.0]> : tensor<4xf32>
    %v = arith.constant dense<[0.25, -3.0, 101.0, 0.0]> : tensor<4xf32>
    %w = arith.constant dense<[1.5, 2.0, 99.5, -7.0]> : tensor<4xf32>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>

    %v1 = train.moving_average %a of %v decay 0.75 if %yes : tensor<4xf32>
    %v1_x = arith.constant dense<[4.3750000000e-01, -1.5000000000e+00, 1.0025000000e+02, 0.0]> : tensor<4xf32>
    check.expect_close %v1, %v1_x atol 0.0 rtol 6.0e-8 : tensor<4xf32>
    %w1 = train.moving_average %a of %w decay 0.75 if %yes : tensor<4xf32>
    %w1_x = arith.constant dense<[7.5000000000e-01, -2.5000000000e-01, 9.9875000000e+01, -1.7500000000e+00]> : tensor<4xf32>
    check.expect_close %w1, %w1_x atol 0.0 rtol 6.0e-8 : tensor<4xf32>

    %v2 = train.moving_average %a of %v decay 0.999 if %yes : tensor<4xf32>
    %v2_x = arith.constant dense<[4.9975000000e-01, -1.0020000000e+00, 1.0000100000e+02, 0.0]> : tensor<4xf32>
    check.expect_close %v2, %v2_x atol 0.0 rtol 6.0e-8 : tensor<4xf32>
    %w2 = train.moving_average %a of %w decay 0.999 if %yes : tensor<4xf32>
    %w2_x = arith.constant dense<[5.0100000000e-01, -9.9700000000e-01, 9.9999500000e+01, -7.0000000000e-03]> : tensor<4xf32>
    check.expect_close %w2, %w2_x atol 0.0 rtol 6.0e-8 : tensor<4xf32>

    // Without decay, the weight itself; in a step that is not applied, the average.
    %w3 = train.moving_average %a of %w decay 0.0 if %yes : tensor<4xf32>
    check.expect_eq %w3, %w : tensor<4xf32>
    %kept = train.moving_average %a of %w decay 0.75 if %no : tensor<4xf32>
    check.expect_eq %kept, %a : tensor<4xf32>
    // An average that is equal to the weight stays so.
    %same = train.moving_average %w of %w decay 0.9 if %yes : tensor<4xf32>
    check.expect_eq %same, %w : tensor<4xf32>
    return
  }
  func.func @drawn(%a: tensor<5x3xf32>, %w: tensor<5x3xf32>)
      -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %0 = train.moving_average %a of %w decay 0.9999 if %yes : tensor<5x3xf32>
    %1 = train.moving_average %a of %w decay 0.25 if %yes : tensor<5x3xf32>
    %2 = train.moving_average %a of %w decay 0.25 if %no : tensor<5x3xf32>
    return %0, %1, %2 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
  }
}
