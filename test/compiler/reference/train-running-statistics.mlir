// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Statistics after a step of two micro-batches against PyTorch on their samples
// (Inputs/golden_running_statistics.py), then the op against its lowering. PyTorch's numbers
// are rounded to f32 here, by 2^-24 of each.
train.program @statistics batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %mean = arith.constant dense<[0.5, -1.0, 100.0]> : tensor<3xf32>
    %variance = arith.constant dense<[1.0, 0.25, 4.0]> : tensor<3xf32>
    %shifts1 = arith.constant dense<[-0.5, 2.5, 2.75]> : tensor<3xf32>
    %squares1 = arith.constant dense<[2.625, 15.25, 6.3125]> : tensor<3xf32>
    %shifts2 = arith.constant dense<[1.5, 1.125, 0.5]> : tensor<3xf32>
    %squares2 = arith.constant dense<[2.25, 1.265625, 0.25]> : tensor<3xf32>
    %shifts = train.combine %shifts1, %shifts2 : tensor<3xf32>
    %squares = train.combine %squares1, %squares2 : tensor<3xf32>
    %four = arith.constant dense<4> : tensor<i64>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>

    %m, %v = train.running_statistics %mean, %variance from %shifts, %squares of %four
        momentum 0.3 unbiased if %yes : tensor<3xf32>
    %m_x = arith.constant dense<[5.7500000000e-01, -7.2812500000e-01, 1.0024375000e+02]> : tensor<3xf32>
    %v_x = arith.constant dense<[1.1625000000e+00, 1.4980468750e+00, 3.1921875000e+00]> : tensor<3xf32>
    check.expect_close %m, %m_x atol 0.0 rtol 6.0e-8 : tensor<3xf32>
    check.expect_close %v, %v_x atol 0.0 rtol 6.0e-8 : tensor<3xf32>

    %n, %b = train.running_statistics %mean, %variance from %shifts, %squares of %four
        momentum 0.3 if %yes : tensor<3xf32>
    %b_x = arith.constant dense<[1.0468750000e+00, 1.1672851562e+00, 3.0941406250e+00]> : tensor<3xf32>
    check.expect_close %n, %m_x atol 0.0 rtol 6.0e-8 : tensor<3xf32>
    check.expect_close %b, %b_x atol 0.0 rtol 6.0e-8 : tensor<3xf32>

    // A step that is not applied leaves no trace.
    %kept:2 = train.running_statistics %mean, %variance from %shifts, %squares of %four
        momentum 0.3 unbiased if %no : tensor<3xf32>
    check.expect_eq %kept#0, %mean : tensor<3xf32>
    check.expect_eq %kept#1, %variance : tensor<3xf32>

    // A single value has the variance 0, whatever the division is by.
    %one = arith.constant dense<1> : tensor<i64>
    %half = arith.constant dense<0.5> : tensor<3xf32>
    %quarter = arith.constant dense<0.25> : tensor<3xf32>
    %single:2 = train.running_statistics %mean, %variance from %half, %quarter of %one
        momentum 1.0 unbiased if %yes : tensor<3xf32>
    %single_m = arith.constant dense<[1.0, -0.5, 100.5]> : tensor<3xf32>
    %single_v = arith.constant dense<0.0> : tensor<3xf32>
    check.expect_eq %single#0, %single_m : tensor<3xf32>
    check.expect_eq %single#1, %single_v : tensor<3xf32>
    return
  }
  func.func @drawn(%mean: tensor<5xf32>, %variance: tensor<5xf32>, %shifts: tensor<5xf32>,
                   %squares: tensor<5xf32>)
      -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>,
          tensor<5xf32>) {
    %seven = arith.constant dense<7> : tensor<i64>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %a:2 = train.running_statistics %mean, %variance from %shifts, %squares of %seven
        momentum 0.1 unbiased if %yes : tensor<5xf32>
    %b:2 = train.running_statistics %mean, %variance from %shifts, %squares of %seven
        momentum 0.9 if %yes : tensor<5xf32>
    %c:2 = train.running_statistics %mean, %variance from %shifts, %squares of %seven
        momentum 0.1 unbiased if %no : tensor<5xf32>
    return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1
        : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>,
          tensor<5xf32>
  }
}
