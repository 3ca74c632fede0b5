// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'
// RUN: boost-interpret %s --function=tokens --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=tokens --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// Values of nn.dense and its gradients, then on drawn numbers the ops against their
// lowerings.
train.program @dense batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %w = arith.constant dense<[[1.0, 0.0, -1.0], [0.5, 0.5, 0.5]]> : tensor<2x3xf32>
    %b = arith.constant dense<[10.0, 100.0]> : tensor<2xf32>
    %y = nn.dense %x, %w : tensor<2x3xf32>, tensor<2x3xf32>
    %y_x = arith.constant dense<[[-2.0, 3.0], [-2.0, 7.5]]> : tensor<2x2xf32>
    check.expect_eq %y, %y_x : tensor<2x2xf32>
    %z = nn.dense %x, %w, %b : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
    %z_x = arith.constant dense<[[8.0, 103.0], [8.0, 107.5]]> : tensor<2x2xf32>
    check.expect_eq %z, %z_x : tensor<2x2xf32>

    %dy = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %dx = nn.dense_grad_input %dy, %w : tensor<2x2xf32>, tensor<2x3xf32>
    %dx_x = arith.constant dense<[[2.0, 1.0, 0.0], [5.0, 2.0, -1.0]]> : tensor<2x3xf32>
    check.expect_eq %dx, %dx_x : tensor<2x3xf32>
    %dw = nn.dense_grad_weight %dy, %x : tensor<2x2xf32>, tensor<2x3xf32>
    %dw_x = arith.constant dense<[[13.0, 17.0, 21.0], [18.0, 24.0, 30.0]]>
        : tensor<2x3xf32>
    check.expect_eq %dw, %dw_x : tensor<2x3xf32>
    return
  }
  func.func @drawn(%x: tensor<4x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>,
                   %dy: tensor<4x3xf32>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<3x5xf32>) {
    %y = nn.dense %x, %w : tensor<4x5xf32>, tensor<3x5xf32>
    %z = nn.dense %x, %w, %b : tensor<4x5xf32>, tensor<3x5xf32>, tensor<3xf32>
    %dx = nn.dense_grad_input %dy, %w : tensor<4x3xf32>, tensor<3x5xf32>
    %dw = nn.dense_grad_weight %dy, %x : tensor<4x3xf32>, tensor<4x5xf32>
    return %y, %z, %dx, %dw
        : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<3x5xf32>
  }
  // More dimensions are more rows.
  func.func @tokens(%x: tensor<4x2x3x5xf32>, %w: tensor<6x5xf32>, %b: tensor<6xf32>)
      -> (tensor<4x2x3x6xf32>, tensor<4x2x3x5xf32>, tensor<6x5xf32>) {
    %y = nn.dense %x, %w, %b : tensor<4x2x3x5xf32>, tensor<6x5xf32>, tensor<6xf32>
    %dx = nn.dense_grad_input %y, %w : tensor<4x2x3x6xf32>, tensor<6x5xf32>
    %dw = nn.dense_grad_weight %y, %x : tensor<4x2x3x6xf32>, tensor<4x2x3x5xf32>
    %rows = tensor.collapse_shape %x [[0, 1, 2], [3]]
        : tensor<4x2x3x5xf32> into tensor<24x5xf32>
    %z = nn.dense %rows, %w, %b : tensor<24x5xf32>, tensor<6x5xf32>, tensor<6xf32>
    %z_y = tensor.collapse_shape %y [[0, 1, 2], [3]]
        : tensor<4x2x3x6xf32> into tensor<24x6xf32>
    check.expect_eq %z_y, %z : tensor<24x6xf32>
    %dw_rows = nn.dense_grad_weight %z, %rows : tensor<24x6xf32>, tensor<24x5xf32>
    check.expect_eq %dw, %dw_rows : tensor<6x5xf32>
    %dx_rows = nn.dense_grad_input %z, %w : tensor<24x6xf32>, tensor<6x5xf32>
    %dx_y = tensor.collapse_shape %dx [[0, 1, 2], [3]]
        : tensor<4x2x3x5xf32> into tensor<24x5xf32>
    check.expect_eq %dx_y, %dx_rows : tensor<24x5xf32>
    return %y, %dx, %dw : tensor<4x2x3x6xf32>, tensor<4x2x3x5xf32>, tensor<6x5xf32>
  }
}
