// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// Steps in a subspace against numbers that were computed from the formulas of MindSpore's
// dim_reduce in double precision, given to 7 or 8 digits; then each op against its lowering.
train.program @subspace batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>

    // The inverse Hessian after a step of (-0.5, -0.25) along which the gradient changed by
    // (-0.4, -0.3), less the identity.
    %none = arith.constant dense<0.0> : tensor<2x2xf32>
    %s = arith.constant dense<[-0.5, -0.25]> : tensor<2xf32>
    %y = arith.constant dense<[-0.4, -0.3]> : tensor<2xf32>
    %e = train.bfgs_update %none of %s, %y : tensor<2x2xf32>, tensor<2xf32>
    %e_x = arith.constant dense<[[0.2809917, -0.0413223], [-0.0413223, -0.1115702]]> : tensor<2x2xf32>
    check.expect_close %e, %e_x atol 1.0e-7 rtol 0.0 : tensor<2x2xf32>
    // It takes the change of the gradient to the step.
    %ey = train.lift %y by %e : (tensor<2xf32>), tensor<2x2xf32>
    %by = arith.addf %ey, %y : tensor<2xf32>
    check.expect_close %by, %s atol 0.0 rtol 1.0e-12 : tensor<2xf32>
    // Without curvature along the step nothing is learnt.
    %away = arith.constant dense<[0.25, -0.5]> : tensor<2xf32>
    %kept = train.bfgs_update %e of %s, %away : tensor<2x2xf32>, tensor<2xf32>
    check.expect_eq %kept, %e : tensor<2x2xf32>

    // The first step from (0, 0, 0): what is subtracted from the weights.
    %p = arith.constant dense<[[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]]> : tensor<2x3xf32>
    %g = arith.constant dense<[0.5, 0.3, -0.1]> : tensor<3xf32>
    %w = arith.constant dense<0.0> : tensor<3xf32>
    %c = train.project %g onto %p : tensor<3xf32>, tensor<2x3xf32>
    %c_x = arith.constant dense<[0.5, 0.1]> : tensor<2xf32>
    check.expect_close %c, %c_x atol 5.0e-8 rtol 0.0 : tensor<2xf32>
    %square = train.dot %c, %c : tensor<2xf32>
    %square_x = arith.constant dense<0.26> : tensor<f32>
    check.expect_close %square, %square_x atol 2.0e-8 rtol 0.0 : tensor<f32>
    // The second of two shards of that basis: its coordinate for each shard; what lifts those
    // of one shard lifts them all, where the others are 0.
    %second = arith.constant dense<[[0.0, 0.6, 0.8]]> : tensor<1x3xf32>
    %own = train.project %g onto %second shards 2 : tensor<3xf32>, tensor<1x3xf32>
    %own_x = arith.constant dense<0.1> : tensor<2xf32>
    check.expect_close %own, %own_x atol 5.0e-8 rtol 0.0 : tensor<2xf32>
    %slice = arith.constant dense<[0.0, 0.5]> : tensor<2xf32>
    %part = train.lift %slice by %second : (tensor<2xf32>), tensor<1x3xf32>
    %part_x = train.lift %slice by %p : (tensor<2xf32>), tensor<2x3xf32>
    check.expect_eq %part, %part_x : tensor<3xf32>
    %x, %inside = train.lift %c, %c by %p : (tensor<2xf32>, tensor<2xf32>), tensor<2x3xf32>
    %r = arith.subf %g, %inside : tensor<3xf32>
    %whole = arith.constant dense<1.0> : tensor<f32>
    %w1, %m1 = train.subspace_step %w, %r, %whole, %x, %w alpha 0.001 gamma 0.9 if %yes : tensor<3xf32>
    %w1_x = arith.constant dense<[-0.5, -0.06024, -0.07982]> : tensor<3xf32>
    check.expect_close %w1, %w1_x atol 1.0e-7 rtol 0.0 : tensor<3xf32>
    check.expect_eq %m1, %r : tensor<3xf32>
    %shorter = arith.constant dense<0.55> : tensor<f32>
    %w2, %m2 = train.subspace_step %w, %r, %shorter, %x, %w alpha 0.001 gamma 0.9 if %yes : tensor<3xf32>
    %w2_x = arith.constant dense<[-0.275, -0.03324, -0.04382]> : tensor<3xf32>
    check.expect_close %w2, %w2_x atol 1.0e-7 rtol 0.0 : tensor<3xf32>
    // Where no part was accepted, what is not finite does not count.
    %never = arith.constant dense<0.0> : tensor<f32>
    %wild = arith.constant dense<[0x7F800000, 0x7FC00000, 1.0]> : tensor<3xf32>
    %w3, %m3 = train.subspace_step %w, %r, %never, %wild, %w alpha 0.001 gamma 0.9 if %yes : tensor<3xf32>
    %w3_x = arith.constant dense<[0.0, -0.00024, 0.00018]> : tensor<3xf32>
    check.expect_close %w3, %w3_x atol 1.0e-8 rtol 0.0 : tensor<3xf32>
    %w4, %m4 = train.subspace_step %w, %r, %whole, %x, %w alpha 0.001 gamma 0.9 if %no : tensor<3xf32>
    check.expect_eq %w4, %w : tensor<3xf32>
    check.expect_eq %m4, %w : tensor<3xf32>

    %scaled = train.replace %c by %s times %shorter if %yes : tensor<2xf32>
    %scaled_x = arith.constant dense<[-0.275, -0.1375]> : tensor<2xf32>
    check.expect_close %scaled, %scaled_x atol 1.0e-7 rtol 0.0 : tensor<2xf32>
    %old = train.replace %c by %s times %shorter if %no : tensor<2xf32>
    check.expect_eq %old, %c : tensor<2xf32>
    return
  }

  func.func @drawn(%w: tensor<5x3xf32>, %m: tensor<5x3xf32>, %r: tensor<5x3xf32>, %basis: tensor<4x5x3xf32>,
                   %e: tensor<4x4xf32>, %s: tensor<4xf32>, %y: tensor<4xf32>, %f: tensor<f32>)
      -> (tensor<4xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>,
          tensor<5x3xf32>, tensor<5x3xf32>, tensor<12xf32>, tensor<5x3xf32>) {
    %yes = arith.constant dense<1> : tensor<i32>
    %c = train.project %w onto %basis : tensor<5x3xf32>, tensor<4x5x3xf32>
    %d, %p = train.lift %s, %y by %basis : (tensor<4xf32>, tensor<4xf32>), tensor<4x5x3xf32>
    %dot = train.dot %s, %y : tensor<4xf32>
    %changed = train.bfgs_update %e of %s, %s : tensor<4x4xf32>, tensor<4xf32>
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %kept = train.bfgs_update %e of %zeros, %y : tensor<4x4xf32>, tensor<4xf32>
    %replaced = train.replace %s by %y times %f if %yes : tensor<4xf32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %w1, %m1 = train.subspace_step %w, %r, %half, %d, %m alpha 0.25 gamma 0.75 if %yes : tensor<5x3xf32>
    %shards = train.project %w onto %basis shards 3 : tensor<5x3xf32>, tensor<4x5x3xf32>
    %lifted = train.lift %shards by %basis : (tensor<12xf32>), tensor<4x5x3xf32>
    return %c, %d, %p, %dot, %changed, %kept, %replaced, %w1, %m1, %shards, %lifted
        : tensor<4xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>,
          tensor<5x3xf32>, tensor<5x3xf32>, tensor<12xf32>, tensor<5x3xf32>
  }
}
