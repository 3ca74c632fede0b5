// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'

// nn.normalize against PyTorch (Inputs/golden_normalize.py), then on drawn numbers against its
// lowering. PyTorch's numbers are rounded to f32 here, by 2^-24 of each.
train.program @normalize batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %x = arith.constant dense<[[[[0, 255], [1, 128]], [[17, 200], [254, 3]], [[77, 90], [0, 129]]]]>
        : tensor<1x3x2x2xi8>
    %y = nn.normalize %x
        by [1.7124753831663668e-02, 1.7507002801120448e-02, 1.7429193899782137e-02]
        plus [-2.1179039301310043e+00, -2.0357142857142856e+00, -1.8044444444444445e+00]
        : tensor<1x3x2x2xi8> -> tensor<1x3x2x2xf32>
    %y_x = arith.constant dense<[[[[-2.1179039301310043e+00, 2.2489082969432315e+00],
                                   [-2.1007791762993406e+00, 7.4064560321945402e-02]],
                                  [[-1.7380952380952381e+00, 1.4656862745098038e+00],
                                   [2.4110644257703084e+00, -1.9831932773109244e+00]],
                                  [[-4.6239651416122024e-01, -2.3581699346405230e-01],
                                   [-1.8044444444444445e+00, 4.4392156862745075e-01]]]]>
        : tensor<1x3x2x2xf32>
    check.expect_close %y, %y_x atol 0.0 rtol 6.0e-8 : tensor<1x3x2x2xf32>
    return
  }
  func.func @drawn(%x: tensor<2x3x3x5xi8>) -> (tensor<2x3x3x5xf32>, tensor<2x3x3x5xbf16>) {
    %y = nn.normalize %x by [0.25, 0.3, 2.0] plus [0.1] : tensor<2x3x3x5xi8> -> tensor<2x3x3x5xf32>
    %z = nn.normalize %x by [0.25] plus [0.1, 3.0, 5.0] : tensor<2x3x3x5xi8> -> tensor<2x3x3x5xbf16>
    return %y, %z : tensor<2x3x3x5xf32>, tensor<2x3x3x5xbf16>
  }
}
