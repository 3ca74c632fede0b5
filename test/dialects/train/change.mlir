// RUN: boost-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: train.program @p
// CHECK-SAME: train.adasum = #train.adasum<delta, per_group, servers, cuts = [2, 4]>
// CHECK: train.not_finite(%{{.*}}, %{{.*}} : tensor<f32>, tensor<4x3xf32>)
// CHECK: train.apply_delta %{{.*}} to %{{.*}} if %{{.*}} : tensor<4x3xf32>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, per_group, servers, cuts = [2, 4]>} {
  func.func @f(%loss: tensor<f32>, %d: tensor<4x3xf32>, %w: tensor<4x3xf32>,
               %finite: tensor<i32>) -> (tensor<4x3xf32>, tensor<i64>) {
    %n = train.not_finite (%loss, %d : tensor<f32>, tensor<4x3xf32>)
    %w1 = train.apply_delta %d to %w if %finite : tensor<4x3xf32>
    return %w1, %n : tensor<4x3xf32>, tensor<i64>
  }
}
