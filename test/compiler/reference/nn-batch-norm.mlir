// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// nn.batch_norm, its gradients, its running statistics and its form in evaluation against
// PyTorch on the real samples (Inputs/golden_batch_norm.py), with a sample of padding; then on
// drawn numbers the ops against their lowerings. PyTorch's numbers are rounded to f32 here, by
// 2^-24 of each.
train.program @batch_norm batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %yes = arith.constant dense<1> : tensor<i32>
    %ix = arith.constant dense<[[[[-1.4218750000e+00, 1.6718750000e+00, 1.8750000000e-01]],
        [[-8.7500000000e-01, 1.9843750000e+00, 1.4062500000e-01]]], [[[1.1718750000e+00,
        7.8125000000e-02, -7.6562500000e-01]], [[1.0000000000e+00, 2.5000000000e-01,
        1.5625000000e-02]]], [[[9.5000000000e+00, 9.5000000000e+00, 9.5000000000e+00]],
        [[9.5000000000e+00, 9.5000000000e+00, 9.5000000000e+00]]]]>
        : tensor<3x2x1x3xf32>
    %idy = arith.constant dense<[[[[1.1875000000e+00, -8.9062500000e-01, 1.7031250000e+00]],
        [[1.9375000000e+00, 9.3750000000e-02, -1.6093750000e+00]]], [[[7.8125000000e-01,
        -1.6875000000e+00, 1.9687500000e+00]], [[-4.2187500000e-01, 2.8125000000e-01,
        1.3125000000e+00]]], [[[0.0000000000e+00, 0.0000000000e+00, 0.0000000000e+00]],
        [[0.0000000000e+00, 0.0000000000e+00, 0.0000000000e+00]]]]>
        : tensor<3x2x1x3xf32>
    %iw = arith.constant dense<[1.7187500000e-01, 1.9375000000e+00]>
        : tensor<2xf32>
    %ib = arith.constant dense<[1.6562500000e+00, 4.3750000000e-01]>
        : tensor<2xf32>
    %ivalid = arith.constant dense<2> : tensor<i32>
    %iy, %im, %iv = nn.batch_norm %ix, %iw, %ib, %ivalid epsilon 1.0e-5
        : tensor<3x2x1x3xf32>, tensor<2xf32>
    %iy_real = tensor.extract_slice %iy[0, 0, 0, 0] [2, 2, 1, 3] [1, 1, 1, 1]
        : tensor<3x2x1x3xf32> to tensor<2x2x1x3xf32>
    %iy_x = arith.constant dense<[[[[1.3995340405e+00, 1.9036308337e+00, 1.6617662107e+00]],
        [[-2.3864428743e+00, 3.8523685462e+00, -1.7047160472e-01]]], [[[1.8221606449e+00,
        1.6439446069e+00, 1.5064636633e+00]], [[1.7045810080e+00, 6.8171455074e-02,
        -4.4320653021e-01]]]]>
        : tensor<2x2x1x3xf32>
    check.expect_close %iy_real, %iy_x atol 1.0e-9 rtol 6.0e-8 : tensor<2x2x1x3xf32>
    %im_x = arith.constant dense<[1.5364583333e-01, 4.1927083333e-01]>
        : tensor<2xf32>
    check.expect_close %im, %im_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %iv_x = arith.constant dense<[1.1126641168e+00, 7.8852674696e-01]>
        : tensor<2xf32>
    check.expect_close %iv, %iv_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %idx, %idw, %idb = nn.batch_norm_grad %idy, %ix, %iw, %im, %iv, %ivalid
        epsilon 1.0e-5 : tensor<3x2x1x3xf32>, tensor<2xf32>
    %idx_x = arith.constant dense<[[[[-4.5501156013e-02, -7.8127265278e-02, 1.9768865994e-01]],
        [[2.0154606223e+00, 1.5989407302e+00, -4.4424594630e+00]]], [[[1.4483666027e-01,
        -3.6559868686e-01, 1.4670178794e-01]], [[-7.6761092648e-01, -1.7939703853e-01,
        1.7750660755e+00]]], [[[0.0000000000e+00, 0.0000000000e+00, 0.0000000000e+00]],
        [[0.0000000000e+00, 0.0000000000e+00, 0.0000000000e+00]]]]>
        : tensor<3x2x1x3xf32>
    check.expect_close %idx, %idx_x atol 1.0e-9 rtol 6.0e-8 : tensor<3x2x1x3xf32>
    %idw_x = arith.constant dense<[-3.8416742910e+00, -3.0798151565e+00]>
        : tensor<2xf32>
    check.expect_close %idw, %idw_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %idb_x = arith.constant dense<[3.0625000000e+00, 1.5937500000e+00]>
        : tensor<2xf32>
    check.expect_close %idb, %idb_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %ik = arith.constant dense<0.0> : tensor<2xf32>
    %ik2 = arith.constant dense<1.0> : tensor<2xf32>
    %is, %iq, %in = nn.batch_norm_sums %im, %iv, %ik, %ivalid positions 3 : tensor<2xf32>
    %irm, %irv = train.running_statistics %ik, %ik2 from %is, %iq of %in
        momentum 0.1 unbiased if %yes : tensor<2xf32>
    %irm_x = arith.constant dense<[1.5364583333e-02, 4.1927083333e-02]>
        : tensor<2xf32>
    check.expect_close %irm, %irm_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %irv_x = arith.constant dense<[1.0335196940e+00, 9.9462320964e-01]>
        : tensor<2xf32>
    check.expect_close %irv, %irv_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %ie = nn.batch_norm_inference %ix, %iw, %ib, %irm, %irv epsilon 1.0e-5
        : tensor<3x2x1x3xf32>, tensor<2xf32>
    %ie_real = tensor.extract_slice %ie[0, 0, 0, 0] [2, 2, 1, 3] [1, 1, 1, 1]
        : tensor<3x2x1x3xf32> to tensor<2x2x1x3xf32>
    %ie_x = arith.constant dense<[[[[1.4132644757e+00, 1.9363063363e+00, 1.6853519082e+00]],
        [[-1.3438326741e+00, 4.2111326089e+00, 6.2924242643e-01]]], [[[1.8517743184e+00,
        1.6668605293e+00, 1.5242127492e+00]], [[2.2987675115e+00, 8.4172743726e-01,
        3.8640241406e-01]]]]>
        : tensor<2x2x1x3xf32>
    check.expect_close %ie_real, %ie_x atol 1.0e-9 rtol 1.2e-7 : tensor<2x2x1x3xf32>

    %cx = arith.constant dense<[[4.5312500000e-01, 2.1875000000e-01], [-1.2187500000e+00,
        -9.3750000000e-01], [1.3593750000e+00, 1.3593750000e+00], [-7.2500000000e+00,
        -7.2500000000e+00]]>
        : tensor<4x2xf32>
    %cdy = arith.constant dense<[[1.6406250000e+00, 1.7656250000e+00], [1.8593750000e+00,
        1.4687500000e+00], [-5.0000000000e-01, -6.5625000000e-01], [0.0000000000e+00,
        0.0000000000e+00]]>
        : tensor<4x2xf32>
    %cw = arith.constant dense<[2.0312500000e-01, 1.6406250000e+00]>
        : tensor<2xf32>
    %cb = arith.constant dense<[1.4062500000e-01, -1.8906250000e+00]>
        : tensor<2xf32>
    %cvalid = arith.constant dense<3> : tensor<i32>
    %cy, %cm, %cv = nn.batch_norm %cx, %cw, %cb, %cvalid epsilon 1.0e-5
        : tensor<4x2xf32>, tensor<2xf32>
    %cy_real = tensor.extract_slice %cy[0, 0] [3, 2] [1, 1]
        : tensor<4x2xf32> to tensor<3x2xf32>
    %cy_x = arith.constant dense<[[1.8916910866e-01, -1.8815124370e+00], [-1.2884433787e-01,
        -3.9045014127e+00], [3.6155022921e-01, 1.1413884974e-01]]>
        : tensor<3x2xf32>
    check.expect_close %cy_real, %cy_x atol 1.0e-9 rtol 6.0e-8 : tensor<3x2xf32>
    %cm_x = arith.constant dense<[1.9791666667e-01, 2.1354166667e-01]>
        : tensor<2xf32>
    check.expect_close %cm, %cm_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %cv_x = arith.constant dense<[1.1403537326e+00, 8.7928602431e-01]>
        : tensor<2xf32>
    check.expect_close %cv, %cv_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %cdx, %cdw, %cdb = nn.batch_norm_grad %cdy, %cx, %cw, %cm, %cv, %cvalid
        epsilon 1.0e-5 : tensor<4x2xf32>, tensor<2xf32>
    %cdx_x = arith.constant dense<[[1.6153192217e-01, 1.5939919404e+00], [-5.6779109032e-02,
        -7.9155314874e-01], [-1.0475281313e-01, -8.0243879164e-01], [0.0000000000e+00,
        0.0000000000e+00]]>
        : tensor<4x2xf32>
    check.expect_close %cdx, %cdx_x atol 1.0e-9 rtol 6.0e-8 : tensor<4x2xf32>
    %cdw_x = arith.constant dense<[-2.6184097794e+00, -2.5949975702e+00]>
        : tensor<2xf32>
    check.expect_close %cdw, %cdw_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %cdb_x = arith.constant dense<[3.0000000000e+00, 2.5781250000e+00]>
        : tensor<2xf32>
    check.expect_close %cdb, %cdb_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %ck = arith.constant dense<0.0> : tensor<2xf32>
    %ck2 = arith.constant dense<1.0> : tensor<2xf32>
    %cs, %cq, %cn = nn.batch_norm_sums %cm, %cv, %ck, %cvalid positions 1 : tensor<2xf32>
    %crm, %crv = train.running_statistics %ck, %ck2 from %cs, %cq of %cn
        momentum 0.1 unbiased if %yes : tensor<2xf32>
    %crm_x = arith.constant dense<[1.9791666667e-02, 2.1354166667e-02]>
        : tensor<2xf32>
    check.expect_close %crm, %crm_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %crv_x = arith.constant dense<[1.0710530599e+00, 1.0318929036e+00]>
        : tensor<2xf32>
    check.expect_close %crv, %crv_x atol 1.0e-9 rtol 6.0e-8 : tensor<2xf32>
    %ce = nn.batch_norm_inference %cx, %cw, %cb, %crm, %crv epsilon 1.0e-5
        : tensor<4x2xf32>, tensor<2xf32>
    %ce_real = tensor.extract_slice %ce[0, 0] [3, 2] [1, 1]
        : tensor<4x2xf32> to tensor<3x2xf32>
    %ce_x = arith.constant dense<[[2.2567571233e-01, -1.5718179703e+00], [-1.0246465617e-01,
        -3.4392364559e+00], [4.0354619246e-01, 2.7036513042e-01]]>
        : tensor<3x2xf32>
    check.expect_close %ce_real, %ce_x atol 1.0e-9 rtol 1.2e-7 : tensor<3x2xf32>
    // One value has the variance 0, and is normalised to the bias; no value adds nothing.
    %none = arith.constant dense<0> : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %zeros = arith.constant dense<0.0> : tensor<2xf32>
    %y, %m, %v = nn.batch_norm %cx, %cw, %cb, %one epsilon 1.0e-5 : tensor<4x2xf32>, tensor<2xf32>
    %y_first = tensor.extract_slice %y[0, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
    %first = tensor.collapse_shape %y_first [[0, 1]] : tensor<1x2xf32> into tensor<2xf32>
    check.expect_eq %first, %cb : tensor<2xf32>
    check.expect_eq %v, %zeros : tensor<2xf32>
    %s, %q, %n = nn.batch_norm_sums %cm, %cv, %ck2, %none positions 1 : tensor<2xf32>
    %nothing = arith.constant dense<0> : tensor<i64>
    check.expect_close %s, %zeros atol 0.0 rtol 0.0 : tensor<2xf32>
    check.expect_close %q, %zeros atol 0.0 rtol 0.0 : tensor<2xf32>
    check.expect_eq %n, %nothing : tensor<i64>
    return
  }
  func.func @drawn(%x: tensor<4x3x2x5xf32>, %dy: tensor<4x3x2x5xf32>, %w: tensor<3xf32>,
                   %b: tensor<3xf32>, %k: tensor<3xf32>, %c: tensor<5x7xf32>, %v: tensor<7xf32>)
      -> (tensor<4x3x2x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2x5xf32>, tensor<3xf32>,
          tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<4x3x2x5xf32>,
          tensor<5x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<5x7xf32>) {
    %valid = arith.constant dense<3> : tensor<i32>
    %all = arith.constant dense<5> : tensor<i32>
    %y, %m, %s = nn.batch_norm %x, %w, %b, %valid epsilon 1.0e-5
        : tensor<4x3x2x5xf32>, tensor<3xf32>
    %dx, %dw, %db = nn.batch_norm_grad %dy, %x, %w, %m, %s, %valid epsilon 1.0e-5
        : tensor<4x3x2x5xf32>, tensor<3xf32>
    %t, %q, %n = nn.batch_norm_sums %m, %s, %k, %valid positions 10 : tensor<3xf32>
    %e = nn.batch_norm_inference %x, %w, %b, %m, %s epsilon 1.0e-3
        : tensor<4x3x2x5xf32>, tensor<3xf32>
    %z, %mc, %sc = nn.batch_norm %c, %v, %v, %all epsilon 1.0e-5 : tensor<5x7xf32>, tensor<7xf32>
    %dc, %dv, %du = nn.batch_norm_grad %c, %z, %v, %mc, %sc, %all epsilon 1.0e-5
        : tensor<5x7xf32>, tensor<7xf32>
    return %y, %m, %s, %dx, %dw, %db, %t, %q, %n, %e, %z, %mc, %sc, %dc
        : tensor<4x3x2x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2x5xf32>, tensor<3xf32>,
          tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<4x3x2x5xf32>,
          tensor<5x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<5x7xf32>
  }
}
