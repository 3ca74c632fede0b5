// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.flatten, then on drawn numbers the op against its lowerings.
train.program @flatten batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]>
        : tensor<2x2x2xf32>
    %y = nn.flatten %x : tensor<2x2x2xf32>
    %y_x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]>
        : tensor<2x4xf32>
    check.expect_eq %y, %y_x : tensor<2x4xf32>
    return
  }
  func.func @drawn(%x: tensor<2x3x4x5xf32>, %z: tensor<2x3xf32>)
      -> (tensor<2x60xf32>, tensor<2x3xf32>) {
    %y = nn.flatten %x : tensor<2x3x4x5xf32>
    %u = nn.flatten %z : tensor<2x3xf32>
    return %y, %u : tensor<2x60xf32>, tensor<2x3xf32>
  }
}
