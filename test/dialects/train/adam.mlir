// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @adam
// CHECK: train.adam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} corrections(%{{.*}}, %{{.*}}) betas 9.000000e-01, 0.998{{9+}} epsilon 1.000000e-08 weight_decay 1.000000e-02 decoupled if %{{.*}} : tensor<4x3xf32>
func.func @adam(%w: tensor<4x3xf32>, %g: tensor<4x3xf32>, %lr: tensor<f32>, %applied: tensor<i32>)
    -> tensor<4x3xf32> {
  %w1, %m, %v = train.adam %w, %g, %lr, %w, %w corrections(%lr, %lr) betas 0.9, 0.999
      epsilon 1.0e-8 weight_decay 0.01 decoupled if %applied : tensor<4x3xf32>
  return %w1 : tensor<4x3xf32>
}

// -----

func.func @adam_types(%w: tensor<4x3xf32>, %g: tensor<3x4xf32>, %lr: tensor<f32>, %applied: tensor<i32>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, first, second, result, new_first, new_second} have same type}}
  %w1, %m, %v = "train.adam"(%w, %g, %lr, %lr, %lr, %w, %w, %applied)
      <{beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8, weight_decay = 0.0}>
      : (tensor<4x3xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<4x3xf32>, tensor<4x3xf32>, tensor<i32>)
      -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  return
}
