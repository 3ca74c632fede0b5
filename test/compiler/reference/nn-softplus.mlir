// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// nn.softplus and its gradient against PyTorch (Inputs/golden_softplus.py), then on drawn
// numbers the ops against their lowerings. PyTorch's numbers are rounded to f32 here, by
// 2^-24 of each.
train.program @softplus batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[-20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 30.0]]> : tensor<1x7xf32>
    %dy = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<1x7xf32>
    %y = nn.softplus %x : tensor<1x7xf32>
    %y_x = arith.constant dense<[[2.0611536203e-09, 4.8587351574e-02, 4.7407698418e-01, 6.9314718056e-01,
                              9.7407698418e-01, 3.0485873516e+00, 3.0000000000e+01]]> : tensor<1x7xf32>
    check.expect_close %y, %y_x atol 0.0 rtol 6.0e-8 : tensor<1x7xf32>
    %dx = nn.elementwise_grad %dy, %x of nn.softplus : tensor<1x7xf32>
    %dx_x = arith.constant dense<[[2.0611536182e-09, 9.4851746355e-02, 1.1326220064e+00, 2.0000000000e+00,
                              3.1122966560e+00, 5.7154447609e+00, 7.0000000000e+00]]> : tensor<1x7xf32>
    check.expect_close %dx, %dx_x atol 0.0 rtol 6.0e-8 : tensor<1x7xf32>

    // Neither end overflows.
    %far = arith.constant dense<[[-2000.0, 2000.0]]> : tensor<1x2xf32>
    %ends = nn.softplus %far : tensor<1x2xf32>
    %ends_x = arith.constant dense<[[0.0, 2000.0]]> : tensor<1x2xf32>
    check.expect_eq %ends, %ends_x : tensor<1x2xf32>
    return
  }
  func.func @drawn(%x: tensor<3x4xf32>, %dy: tensor<3x4xf32>)
      -> (tensor<3x4xf32>, tensor<3x4xf32>) {
    %y = nn.softplus %x : tensor<3x4xf32>
    %dx = nn.elementwise_grad %dy, %x of nn.softplus : tensor<3x4xf32>
    return %y, %dx : tensor<3x4xf32>, tensor<3x4xf32>
  }
}
