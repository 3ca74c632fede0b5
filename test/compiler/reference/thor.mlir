// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-9 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'
// RUN: boost-interpret %s --function=large --tolerance=1e-9 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'

// Factors and preconditioned gradients against numbers that were computed from the formulas of
// MindSpore's THOR in double precision, given to 7 or 8 digits; then each op against its lowering.
train.program @thor batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %lambda = arith.constant dense<0.04> : tensor<f32>

    // A dense layer of four samples, whose gradients are those of the sum of their losses.
    %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0], [1.0, 0.0]]> : tensor<4x2xf32>
    %d = arith.constant dense<[[2.0], [-1.0], [0.5], [1.0]]> : tensor<4x1xf32>
    %four = arith.constant dense<4> : tensor<i32>
    %n = arith.constant dense<4> : tensor<i64>
    %a = thor.factor_a %x, %four groups 1 block_size 128 : tensor<4x2xf32>
    %g = thor.factor_g %d, %four groups 1 block_size 128 : tensor<4x1xf32>
    %a_x = arith.constant dense<[[[11.0, 14.0], [14.0, 21.0]]]> : tensor<1x2x2xf32>
    check.expect_eq %a, %a_x : tensor<1x2x2xf32>
    %g_x = arith.constant dense<6.25> : tensor<1x1x1xf32>
    check.expect_eq %g, %g_x : tensor<1x1x1xf32>
    %ai, %a_failed = thor.damped_inverse %a by %n rows 1 positions 1 damping %lambda : tensor<1x2x2xf32>
    %gi, %g_failed = thor.damped_inverse %g by %n rows 1 positions 1 damping %lambda : tensor<1x1x1xf32>
    check.expect_eq %a_failed, %no : tensor<i32>
    %gi_x = arith.constant dense<0.56737589> : tensor<1x1x1xf32>
    check.expect_close %gi, %gi_x atol 5.0e-8 rtol 0.0 : tensor<1x1x1xf32>
    %mean = arith.constant dense<[[0.0, 0.125]]> : tensor<1x2xf32>
    %p = thor.precondition %mean, %ai, %gi if %yes groups 1 positions 1
        : tensor<1x2xf32>, tensor<1x2x2xf32>, tensor<1x1x1xf32>
    %p_x = arith.constant dense<[[-0.06485355, 0.05466228]]> : tensor<1x2xf32>
    check.expect_close %p, %p_x atol 2.0e-8 rtol 0.0 : tensor<1x2xf32>
    // Without inverses the gradient stays.
    %plain = thor.precondition %mean, %ai, %gi if %no groups 1 positions 1
        : tensor<1x2xf32>, tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_eq %plain, %mean : tensor<1x2xf32>
    // Inverses are symmetric but for rounding: A^-1 is on the right, G^-1 on the left.
    %square = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %right = arith.constant dense<[[[1.0, 2.0], [3.0, 5.0]]]> : tensor<1x2x2xf32>
    %left = arith.constant dense<[[[2.0, -1.0], [4.0, 0.5]]]> : tensor<1x2x2xf32>
    %sides = thor.precondition %square, %right, %left if %yes groups 1 positions 1
        : tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>
    %sides_x = arith.constant dense<[[-1.0, -2.0], [35.5, 61.0]]> : tensor<2x2xf32>
    check.expect_eq %sides, %sides_x : tensor<2x2xf32>
    // A scale of the loss is in the gradients' factor squared.
    %scale = arith.constant dense<8.0> : tensor<f32>
    %scaled = arith.constant dense<400.0> : tensor<1x1x1xf32>
    %unscaled, %s_failed = thor.damped_inverse %scaled by %n rows 1 positions 1 scale %scale damping %lambda : tensor<1x1x1xf32>
    check.expect_close %unscaled, %gi atol 0.0 rtol 1.0e-12 : tensor<1x1x1xf32>

    // A convolution of a channel with a kernel of one pixel, two samples of four pixels.
    %x2 = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]], [[[0.0, 1.0], [1.0, 0.0]]]]> : tensor<2x1x2x2xf32>
    %dy = arith.constant dense<[[[[0.2, 0.0], [0.4, 0.2]]], [[[0.6, 0.2], [0.0, 0.0]]]]> : tensor<2x1x2x2xf32>
    %two = arith.constant dense<2> : tensor<i32>
    %m = arith.constant dense<2> : tensor<i64>
    %ca = thor.factor_a %x2, %two windows [1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 block_size 128 : tensor<2x1x2x2xf32>
    %cg = thor.factor_g %dy, %two spatial groups 1 block_size 128 : tensor<2x1x2x2xf32>
    %cai, %ca_failed = thor.damped_inverse %ca by %m rows 1 positions 4 damping %lambda : tensor<1x1x1xf32>
    %cgi, %cg_failed = thor.damped_inverse %cg by %m rows 1 positions 4 damping %lambda : tensor<1x1x1xf32>
    %dw = arith.constant dense<1.2> : tensor<1x1x1x1xf32>
    %cp = thor.precondition %dw, %cai, %cgi if %yes groups 1 positions 4
        : tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
    %cp_x = arith.constant dense<0.4065040650> : tensor<1x1x1x1xf32>
    check.expect_close %cp, %cp_x atol 1.0e-7 rtol 0.0 : tensor<1x1x1x1xf32>

    // A matrix that damping makes definite at the third try, and one that nothing does.
    %one = arith.constant dense<1> : tensor<i64>
    %bad = arith.constant dense<[[[-0.5]], [[-1000.0]]]> : tensor<2x1x1xf32>
    %hundredth = arith.constant dense<0.0004> : tensor<f32>
    %tried, %failed = thor.damped_inverse %bad by %one rows 1 positions 1 damping %hundredth : tensor<2x1x1xf32>
    %tried_x = arith.constant dense<[[[0.66666667]], [[0.0]]]> : tensor<2x1x1xf32>
    check.expect_close %tried, %tried_x atol 1.0e-7 rtol 0.0 : tensor<2x1x1xf32>
    check.expect_eq %failed, %yes : tensor<i32>

    // Only blocks that have a flag are inverted, and count as failed.
    %first_flag = arith.constant dense<[3, 0]> : tensor<2xi64>
    %own, %own_failed = thor.damped_inverse %bad by %one rows 1 positions 1 damping %hundredth where %first_flag : tensor<2x1x1xf32>
    check.expect_close %own, %tried_x atol 1.0e-7 rtol 0.0 : tensor<2x1x1xf32>
    check.expect_eq %own_failed, %no : tensor<i32>
    %last_flag = arith.constant dense<[0, 1]> : tensor<2xi64>
    %others, %others_failed = thor.damped_inverse %bad by %one rows 1 positions 1 damping %hundredth where %last_flag : tensor<2x1x1xf32>
    %others_x = arith.constant dense<0.0> : tensor<2x1x1xf32>
    check.expect_eq %others, %others_x : tensor<2x1x1xf32>
    check.expect_eq %others_failed, %yes : tensor<i32>

    // A layer that is not due has no factors, and no rows have no inverse.
    %skipped = thor.factor_a %x, %four if %no groups 1 block_size 128 : tensor<4x2xf32>
    %skipped_x = arith.constant dense<0.0> : tensor<1x2x2xf32>
    check.expect_eq %skipped, %skipped_x : tensor<1x2x2xf32>
    %nothing = arith.constant dense<0> : tensor<i64>
    %none, %missing = thor.damped_inverse %skipped by %nothing rows 1 positions 1 damping %lambda : tensor<1x2x2xf32>
    check.expect_eq %none, %skipped_x : tensor<1x2x2xf32>
    check.expect_eq %missing, %yes : tensor<i32>

    // A diagonal: 3 / (9 / 4 + 0.2), and a gradient that nothing damps.
    %grown = arith.constant dense<[3.0, -0.5, 0.0]> : tensor<3xf32>
    %divided = thor.precondition_diagonal %grown by %n damping %lambda : tensor<3xf32>
    %divided_x = arith.constant dense<[1.2244898, -1.9047619, 0.0]> : tensor<3xf32>
    check.expect_close %divided, %divided_x atol 1.0e-7 rtol 0.0 : tensor<3xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %tiny = arith.constant dense<[0.0, 9.0e-07, 0.5]> : tensor<3xf32>
    %undamped = thor.precondition_diagonal %tiny by %n damping %zero : tensor<3xf32>
    %undamped_x = arith.constant dense<[0.0, 9.0e-07, 8.0]> : tensor<3xf32>
    check.expect_close %undamped, %undamped_x atol 0.0 rtol 1.0e-7 : tensor<3xf32>

    // Averages: of nothing before, of one factor before, and with the last weight. A has 4 rows and
    // G 8 of gradients that were scaled by 2.
    %first = arith.constant dense<0> : tensor<i64>
    %second = arith.constant dense<1> : tensor<i64>
    %tenth = arith.constant dense<9> : tensor<i64>
    %halved = arith.constant dense<2.0> : tensor<f32>
    %one_a = thor.average_factor %skipped, %a by %n rows 1 positions 1 after %first decay 0.75 : tensor<1x2x2xf32>
    %one_a_x = arith.constant dense<[[[2.75, 3.5], [3.5, 5.25]]]> : tensor<1x2x2xf32>
    check.expect_eq %one_a, %one_a_x : tensor<1x2x2xf32>
    %two_a = thor.average_factor %a, %skipped by %n rows 1 positions 1 after %second decay 0.75 : tensor<1x2x2xf32>
    %two_a_x = arith.constant dense<[[[5.5, 7.0], [7.0, 10.5]]]> : tensor<1x2x2xf32>
    check.expect_eq %two_a, %two_a_x : tensor<1x2x2xf32>
    %late_a = thor.average_factor %a, %skipped by %n rows 1 positions 1 after %tenth decay 0.75 : tensor<1x2x2xf32>
    %late_a_x = arith.constant dense<[[[8.25, 10.5], [10.5, 15.75]]]> : tensor<1x2x2xf32>
    check.expect_eq %late_a, %late_a_x : tensor<1x2x2xf32>
    %no_g = arith.constant dense<0.0> : tensor<1x1x1xf32>
    %one_g = thor.average_factor %no_g, %scaled by %n rows 2 positions 1 scale %halved after %first decay 0.75 : tensor<1x1x1xf32>
    %one_g_x = arith.constant dense<12.5> : tensor<1x1x1xf32>
    check.expect_eq %one_g, %one_g_x : tensor<1x1x1xf32>
    // The inverse of a mean, and of one where the layer is not due.
    %mean_ai, %mean_failed = thor.damped_inverse %one_a by %n mean rows 1 positions 1 damping %lambda : tensor<1x2x2xf32>
    check.expect_close %mean_ai, %ai atol 0.0 rtol 1.0e-12 : tensor<1x2x2xf32>
    %idle, %idle_failed = thor.damped_inverse %one_a by %nothing mean rows 1 positions 1 damping %lambda : tensor<1x2x2xf32>
    check.expect_eq %idle, %skipped_x : tensor<1x2x2xf32>
    check.expect_eq %idle_failed, %yes : tensor<i32>

    // Means of the diagonals: 4 and 12.5; sums of both, with twice as many rows of G and the square of
    // its scale. Where one has no trace, damping is the same for both.
    %da, %dg = thor.split_damping %one_a, %one_g ratio 0.5 damping %lambda : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    %da_x = arith.constant dense<0.0128> : tensor<f32>
    %dg_x = arith.constant dense<0.125> : tensor<f32>
    check.expect_close %da, %da_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_close %dg, %dg_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    %sa, %sg = thor.split_damping %a, %scaled ratio 1.0 scale %halved damping %lambda : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_close %sa, %da_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_close %sg, %dg_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    %ea, %eg = thor.split_damping %a, %no_g ratio 1.0 damping %lambda : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_eq %ea, %lambda : tensor<f32>
    check.expect_eq %eg, %lambda : tensor<f32>

    // The traces of both means are 2.75 + 5.25 = 8 and 12.5, the roots of damping 0.2: (8 + 2 * 0.2) (12.5 +
    // 0.2) = 106.68. The same of the sums, of which G has twice as many rows here and a scale of 0.5. It
    // is 6.25 % away from 113.792.
    %before = arith.constant dense<113.792> : tensor<f32>
    %trace, %kept, %settled = thor.trace_change %one_a, %one_g by %n mean rows 1, 1 positions 1 sizes 2, 1
        damping %lambda, %lambda since %before above 0.0626 below 0.0624 : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    %trace_x = arith.constant dense<106.68> : tensor<f32>
    check.expect_close %trace, %trace_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %kept, %yes : tensor<i32>
    check.expect_eq %settled, %no : tensor<i32>
    %trace2, %kept2, %settled2 = thor.trace_change %a, %scaled by %n rows 1, 2 positions 1 sizes 2, 1 scale %halved
        damping %lambda, %lambda since %before above 0.0624 below 0.0624 : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_close %trace2, %trace_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    check.expect_eq %kept2, %no : tensor<i32>
    check.expect_eq %settled2, %no : tensor<i32>
    %trace3, %kept3, %settled3 = thor.trace_change %one_a, %one_g by %n mean rows 1, 1 positions 1 sizes 2, 1
        damping %lambda, %lambda since %trace above 0.5 below 0.25 : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_eq %kept3, %yes : tensor<i32>
    check.expect_eq %settled3, %yes : tensor<i32>
    // Windows: the root of 0.04 / 4 is 0.1; (8 / 4 + 0.2) (12.5 / 4 + 0.1).
    %windows, %kept4, %settled4 = thor.trace_change %a, %scaled by %n rows 1, 2 positions 4 sizes 2, 1 scale %halved
        damping %lambda, %lambda since %zero above 0.5 below 0.5 : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    %windows_x = arith.constant dense<7.095> : tensor<f32>
    check.expect_close %windows, %windows_x atol 0.0 rtol 1.0e-7 : tensor<f32>
    // There was none before, or there are no samples.
    check.expect_eq %kept4, %no : tensor<i32>
    check.expect_eq %settled4, %no : tensor<i32>
    %trace5, %kept5, %settled5 = thor.trace_change %a, %scaled by %nothing rows 1, 2 positions 4 sizes 2, 1 scale %halved
        damping %lambda, %lambda since %before above 0.5 below 0.5 : tensor<1x2x2xf32>, tensor<1x1x1xf32>
    check.expect_eq %kept5, %no : tensor<i32>
    check.expect_eq %settled5, %no : tensor<i32>

    // (0.5)^2 (1 * 1 + 2 * 2 + 3 * 2 + 4 * 1) = 3.75; sqrt(0.9375 / 3.75) = 0.5, and no step is enlarged.
    %half = arith.constant dense<0.5> : tensor<f32>
    %slope = arith.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
    %moved = thor.kl_divergence %square, %slope rate %half : tensor<2x2xf32>
    %moved_x = arith.constant dense<3.75> : tensor<f32>
    check.expect_eq %moved, %moved_x : tensor<f32>
    %share = thor.kl_factor %moved limit 0.9375
    check.expect_eq %share, %half : tensor<f32>
    %certain = arith.constant dense<1.0> : tensor<f32>
    %whole = thor.kl_factor %moved, %moved limit 8.0
    check.expect_eq %whole, %certain : tensor<f32>
    %still = thor.kl_factor %zero limit 0.5
    check.expect_eq %still, %certain : tensor<f32>
    return
  }

  func.func @drawn(%x: tensor<3x4x5x6xf32>, %rows: tensor<3x2x7xf32>, %w: tensor<6x2x3x3xf32>, %v: tensor<5x7xf32>,
                   %lambda: tensor<f32>)
      -> (tensor<6x7x7xf32>, tensor<3x3x3xf32>, tensor<2x2x2xf32>, tensor<6x7x7xf32>, tensor<i32>, tensor<6x2x3x3xf32>,
          tensor<5x7xf32>, tensor<5x7xf32>, tensor<2x3x3xf32>, tensor<3x3x3xf32>, tensor<2x2x2xf32>, tensor<3x3x3xf32>,
          tensor<f32>, tensor<f32>, tensor<f32>, tensor<6x7x7xf32>, tensor<i32>, tensor<f32>, tensor<i32>,
          tensor<i32>, tensor<f32>, tensor<i32>) {
    %no = arith.constant dense<0> : tensor<i32>
    %yes = arith.constant dense<1> : tensor<i32>
    %two = arith.constant dense<2> : tensor<i32>
    %n = arith.constant dense<2> : tensor<i64>
    %root = arith.mulf %lambda, %lambda : tensor<f32>
    %a = thor.factor_a %x, %two windows [3, 3] strides [2, 1] padding [1, 0, 2, 1] dilations [1, 2] groups 2 block_size 7 : tensor<3x4x5x6xf32>
    %r = thor.factor_a %rows, %two groups 1 block_size 3 : tensor<3x2x7xf32>
    %g = thor.factor_g %x, %two spatial groups 2 block_size 7 : tensor<3x4x5x6xf32>
    %rd = thor.factor_a %rows, %two if %yes groups 1 block_size 3 : tensor<3x2x7xf32>
    %gd = thor.factor_g %x, %two if %no spatial groups 2 block_size 7 : tensor<3x4x5x6xf32>
    %ai, %failed = thor.damped_inverse %a by %n rows 1 positions 16 damping %root : tensor<6x7x7xf32>
    %flags = arith.constant dense<[1, 0, 1, 1, 0, 2]> : tensor<6xi64>
    %si, %sfailed = thor.damped_inverse %a by %n rows 1 positions 16 damping %root where %flags : tensor<6x7x7xf32>
    %gw = arith.constant dense<[[[1.0, 0.5, 0.25], [0.5, 2.0, 0.125], [0.25, 0.125, 1.0]], [[1.5, 0.0, 0.25], [0.0, 2.0, 0.125], [0.25, 0.125, 1.0]]]> : tensor<2x3x3xf32>
    %p = thor.precondition %w, %ai, %gw if %yes groups 2 positions 16
        : tensor<6x2x3x3xf32>, tensor<6x7x7xf32>, tensor<2x3x3xf32>
    %q = thor.precondition %v, %r, %gw if %yes groups 1 positions 1
        : tensor<5x7xf32>, tensor<3x3x3xf32>, tensor<2x3x3xf32>
    %e = thor.precondition_diagonal %v by %n damping %root : tensor<5x7xf32>
    %kept = arith.addf %gw, %gw : tensor<2x3x3xf32>
    %k = arith.constant dense<3> : tensor<i64>
    %average = thor.average_factor %r, %rd by %n rows 2 positions 1 scale %root after %k decay 0.875 : tensor<3x3x3xf32>
    %da, %dg = thor.split_damping %average, %gw ratio 0.3 scale %root damping %root : tensor<3x3x3xf32>, tensor<2x3x3xf32>
    %trace, %stays, %settles = thor.trace_change %r, %gw by %n rows 2, 3 positions 5 sizes 7, 6 scale %root
        damping %root, %lambda since %root above 1.0e+9 below 1.0e-3 : tensor<3x3x3xf32>, tensor<2x3x3xf32>
    %mean, %mean_stays, %mean_settles = thor.trace_change %average, %gw by %n mean rows 1, 1 positions 1 sizes 7, 6
        damping %root, %lambda since %trace above 1.0e-9 below 1.0e-9 : tensor<3x3x3xf32>, tensor<2x3x3xf32>
    %d = thor.kl_divergence %v, %q rate %root : tensor<5x7xf32>
    %positive = arith.mulf %d, %d : tensor<f32>
    %share = thor.kl_factor %positive, %root limit 1.0e-3
    return %a, %r, %g, %ai, %failed, %p, %q, %e, %kept, %rd, %gd, %average, %da, %dg, %share,
        %si, %sfailed, %trace, %stays, %settles, %mean, %mean_stays
        : tensor<6x7x7xf32>, tensor<3x3x3xf32>, tensor<2x2x2xf32>, tensor<6x7x7xf32>, tensor<i32>, tensor<6x2x3x3xf32>,
          tensor<5x7xf32>, tensor<5x7xf32>, tensor<2x3x3xf32>, tensor<3x3x3xf32>, tensor<2x2x2xf32>, tensor<3x3x3xf32>,
          tensor<f32>, tensor<f32>, tensor<f32>, tensor<6x7x7xf32>, tensor<i32>, tensor<f32>, tensor<i32>,
          tensor<i32>, tensor<f32>, tensor<i32>
  }

  // Blocks that are large enough for rt.matmul: of inputs, of outputs, with zeros
  // up to a whole block, and of groups.
  func.func @large(%x: tensor<3x512xf32>, %y: tensor<3x600xf32>, %z: tensor<512x6xf32>,
                   %u: tensor<1024x6xf32>, %one: tensor<2x512xf32>, %two: tensor<2x1024xf32>, %three: tensor<4x3xf32>,
                   %six: tensor<4x6xf32>, %twelve: tensor<4x12xf32>)
      -> (tensor<3x512xf32>, tensor<3x600xf32>, tensor<512x6xf32>, tensor<1024x6xf32>) {
    %yes = arith.constant dense<1> : tensor<i32>
    %n = arith.constant dense<4> : tensor<i32>
    // Symmetric, as inverses are.
    %a = thor.factor_a %one, %n groups 1 block_size 512 : tensor<2x512xf32>
    %b = thor.factor_a %two, %n groups 1 block_size 512 : tensor<2x1024xf32>
    %c = thor.factor_a %three, %n groups 1 block_size 3 : tensor<4x3xf32>
    %d = thor.factor_a %six, %n groups 1 block_size 3 : tensor<4x6xf32>
    %e = thor.factor_a %twelve, %n groups 1 block_size 3 : tensor<4x12xf32>
    %inputs = thor.precondition %x, %a, %c if %yes groups 1 positions 4
        : tensor<3x512xf32>, tensor<1x512x512xf32>, tensor<1x3x3xf32>
    %padded = thor.precondition %y, %b, %c if %yes groups 1 positions 1
        : tensor<3x600xf32>, tensor<2x512x512xf32>, tensor<1x3x3xf32>
    %outputs = thor.precondition %z, %d, %a if %yes groups 1 positions 1
        : tensor<512x6xf32>, tensor<2x3x3xf32>, tensor<1x512x512xf32>
    %groups = thor.precondition %u, %e, %b if %yes groups 2 positions 1
        : tensor<1024x6xf32>, tensor<4x3x3xf32>, tensor<2x512x512xf32>
    return %inputs, %padded, %outputs, %groups
        : tensor<3x512xf32>, tensor<3x600xf32>, tensor<512x6xf32>, tensor<1024x6xf32>
  }
}
