// RUN: boost-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @weight_sum
// CHECK: nn.weight_sum %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: nn.weight_sum %{{.*}}, %{{.*}} : tensor<4x5xf32>
func.func @weight_sum(%w: tensor<4xf32>, %rows: tensor<4x5xf32>, %valid: tensor<i32>)
    -> (tensor<f32>, tensor<f32>) {
  %a = nn.weight_sum %w, %valid : tensor<4xf32>
  %b = nn.weight_sum %rows, %valid : tensor<4x5xf32>
  return %a, %b : tensor<f32>, tensor<f32>
}
