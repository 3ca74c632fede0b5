// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.reshape, then on drawn numbers the op against its lowerings: shapes that
// refine one another, one way and the other, and shapes that do not.
train.program @reshape batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
    %y = nn.reshape %x : tensor<1x2x3xf32> to tensor<1x3x2xf32>
    %y_x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]>
        : tensor<1x3x2xf32>
    check.expect_eq %y, %y_x : tensor<1x3x2xf32>
    return
  }
  func.func @drawn(%x: tensor<2x12xf32>)
      -> (tensor<2x3x4xf32>, tensor<2x2x6xf32>, tensor<2x12xf32>, tensor<2x12xf32>) {
    %y = nn.reshape %x : tensor<2x12xf32> to tensor<2x3x4xf32>
    %z = nn.reshape %y : tensor<2x3x4xf32> to tensor<2x2x6xf32>
    %u = nn.reshape %z : tensor<2x2x6xf32> to tensor<2x12xf32>
    %v = nn.reshape %u : tensor<2x12xf32> to tensor<2x12xf32>
    return %y, %z, %u, %v
        : tensor<2x3x4xf32>, tensor<2x2x6xf32>, tensor<2x12xf32>, tensor<2x12xf32>
  }
}
