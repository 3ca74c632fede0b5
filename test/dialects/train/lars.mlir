// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @lars
// CHECK: train.lars %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ratio(%{{.*}}) momentum 9.000000e-01 weight_decay 1.000000e-04 if %{{.*}} : tensor<4x3xf32>
func.func @lars(%w: tensor<4x3xf32>, %g: tensor<4x3xf32>, %lr: tensor<f32>, %applied: tensor<i32>)
    -> tensor<4x3xf32> {
  %w1, %v = train.lars %w, %g, %lr, %w ratio(%lr) momentum 0.9 weight_decay 1.0e-4
      if %applied : tensor<4x3xf32>
  return %w1 : tensor<4x3xf32>
}

// -----

func.func @lars_types(%w: tensor<4x3xf32>, %g: tensor<3x4xf32>, %lr: tensor<f32>, %applied: tensor<i32>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, velocity, result, new_velocity} have same type}}
  %w1, %v = "train.lars"(%w, %g, %lr, %lr, %w, %applied) <{momentum = 0.9, weight_decay = 0.0}>
      : (tensor<4x3xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<4x3xf32>, tensor<i32>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>)
  return
}
