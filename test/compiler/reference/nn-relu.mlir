// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.relu and its gradient, then on drawn numbers the ops against their
// lowerings.
train.program @relu batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[-1.0, -0.0, 0.0, 2.0, 0x7F800000, 0xFF800000]]>
        : tensor<1x6xf32>
    %y = nn.relu %x : tensor<1x6xf32>
    %y_x = arith.constant dense<[[0.0, 0.0, 0.0, 2.0, 0x7F800000, 0.0]]>
        : tensor<1x6xf32>
    check.expect_eq %y, %y_x : tensor<1x6xf32>
    %dy = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]> : tensor<1x6xf32>
    %dx = nn.elementwise_grad %dy, %y of nn.relu : tensor<1x6xf32>
    %dx_x = arith.constant dense<[[0.0, 0.0, 0.0, 4.0, 5.0, 0.0]]> : tensor<1x6xf32>
    check.expect_eq %dx, %dx_x : tensor<1x6xf32>

    // A NaN passes, and is on the side without a gradient.
    %nan = arith.constant dense<0x7FC00000> : tensor<1x1xf32>
    %u = nn.relu %nan : tensor<1x1xf32>
    %is_nan = arith.cmpf uno, %u, %u : tensor<1x1xf32>
    %true = arith.constant dense<true> : tensor<1x1xi1>
    check.expect_eq %is_nan, %true : tensor<1x1xi1>
    %one = arith.constant dense<1.0> : tensor<1x1xf32>
    %zero = arith.constant dense<0.0> : tensor<1x1xf32>
    %du = nn.elementwise_grad %one, %nan of nn.relu : tensor<1x1xf32>
    check.expect_eq %du, %zero : tensor<1x1xf32>
    return
  }
  func.func @drawn(%x: tensor<3x4xf32>, %dy: tensor<3x4xf32>)
      -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
    %y = nn.relu %x : tensor<3x4xf32>
    %dx = nn.elementwise_grad %dy, %y of nn.relu : tensor<3x4xf32>
    // The special numbers, which no draw hits.
    %odd = arith.constant dense<[[0x7FC00000, 0x7F800000, 0xFF800000, -0.0]]>
        : tensor<1x4xf32>
    %u = nn.relu %odd : tensor<1x4xf32>
    %du = nn.elementwise_grad %odd, %u of nn.relu : tensor<1x4xf32>
    return %y, %dx, %u, %du
        : tensor<3x4xf32>, tensor<3x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
  }
}
