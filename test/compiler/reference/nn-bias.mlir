// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.bias and nn.bias_grad, then on drawn numbers the ops against their
// lowerings.
train.program @bias batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]>
        : tensor<2x2x2xf32>
    %b = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
    %y = nn.bias %x, %b axis 1 : tensor<2x2x2xf32>, tensor<2xf32>
    %y_x = arith.constant
        dense<[[[11.0, 12.0], [23.0, 24.0]], [[15.0, 16.0], [27.0, 28.0]]]>
        : tensor<2x2x2xf32>
    check.expect_eq %y, %y_x : tensor<2x2x2xf32>

    %none = arith.constant dense<0> : tensor<i32>
    %d0 = nn.bias_grad %x, %none axis 1 : tensor<2x2x2xf32>
    %d0_x = arith.constant dense<0.0> : tensor<2xf32>
    check.expect_eq %d0, %d0_x : tensor<2xf32>
    %one = arith.constant dense<1> : tensor<i32>
    %d1 = nn.bias_grad %x, %one axis 1 : tensor<2x2x2xf32>
    %d1_x = arith.constant dense<[3.0, 7.0]> : tensor<2xf32>
    check.expect_eq %d1, %d1_x : tensor<2xf32>
    %two = arith.constant dense<2> : tensor<i32>
    %d2 = nn.bias_grad %x, %two axis 1 : tensor<2x2x2xf32>
    %d2_x = arith.constant dense<[14.0, 22.0]> : tensor<2xf32>
    check.expect_eq %d2, %d2_x : tensor<2xf32>
    return
  }
  func.func @drawn(%x: tensor<3x4xf32>, %z: tensor<3x4x2x5xf32>, %b: tensor<4xf32>,
                   %c: tensor<5xf32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<3x4xf32>, tensor<3x4x2x5xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<3x4x2x5xf32>, tensor<5xf32>, tensor<2xf32>) {
    %y = nn.bias %x, %b axis 1 : tensor<3x4xf32>, tensor<4xf32>
    %u = nn.bias %z, %b axis 1 : tensor<3x4x2x5xf32>, tensor<4xf32>
    %d = nn.bias_grad %y, %valid axis 1 : tensor<3x4xf32>
    %e = nn.bias_grad %u, %valid axis 1 : tensor<3x4x2x5xf32>
    %v = nn.bias %z, %c axis 3 : tensor<3x4x2x5xf32>, tensor<5xf32>
    %f = nn.bias_grad %v, %valid axis 3 : tensor<3x4x2x5xf32>
    %g = nn.bias_grad %v, %valid axis 2 : tensor<3x4x2x5xf32>
    return %y, %u, %d, %e, %v, %f, %g
        : tensor<3x4xf32>, tensor<3x4x2x5xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<3x4x2x5xf32>, tensor<5xf32>, tensor<2xf32>
  }
}
