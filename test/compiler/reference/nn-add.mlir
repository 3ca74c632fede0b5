// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.add, then on drawn numbers the op against its lowerings.
train.program @add batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %a = arith.constant dense<[[1.0, -2.0], [3.0, 0x7F800000]]> : tensor<2x2xf32>
    %b = arith.constant dense<[[0.5, 2.0], [-4.0, 1.0]]> : tensor<2x2xf32>
    %y = nn.add %a, %b : tensor<2x2xf32>
    %x = arith.constant dense<[[1.5, 0.0], [-1.0, 0x7F800000]]> : tensor<2x2xf32>
    check.expect_eq %y, %x : tensor<2x2xf32>
    return
  }
  func.func @drawn(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>, %s: tensor<f32>)
      -> (tensor<2x3x4xf32>, tensor<f32>) {
    %y = nn.add %a, %b : tensor<2x3x4xf32>
    %t = nn.add %s, %s : tensor<f32>
    return %y, %t : tensor<2x3x4xf32>, tensor<f32>
  }
}
