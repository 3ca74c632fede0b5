// RUN: boost-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: train.program @p
// CHECK-SAME: train.averaging = #train.averaging<micro_batches = sum, ranks = mean>
// CHECK: train.divide_gradient %{{.*}} by %{{.*}} : tensor<4x3xf32>
// CHECK: train.divide_gradient %{{.*}} by weight %{{.*}} : tensor<4x3xf32>
// CHECK: train.has_samples %{{.*}}
// CHECK: train.has_samples weight %{{.*}}
// CHECK: train.rank_sum %{{.*}} : tensor<4x3xf32>
// CHECK: train.rank_sum %{{.*}} : tensor<i64>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.averaging = #train.averaging<micro_batches = sum, ranks = mean>} {
  func.func @f(%g: tensor<4x3xf32>, %count: tensor<i64>, %weight: tensor<f32>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i64>) {
    %m = train.divide_gradient %g by %count : tensor<4x3xf32>
    %w = train.divide_gradient %g by weight %weight : tensor<4x3xf32>
    %n = train.has_samples %count
    %o = train.has_samples weight %weight
    %r = train.rank_sum %m : tensor<4x3xf32>
    %q = train.rank_sum %n : tensor<i64>
    return %r, %w, %q, %o : tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i64>
  }
}
