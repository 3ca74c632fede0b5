// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gradient_norm
// CHECK: %[[N:.+]] = train.squared_norm %{{.*}} : tensor<4x3xf32>
// CHECK: %[[NORM:.+]] = train.global_norm %[[N]], %[[N]]
// CHECK: %[[F:.+]] = train.clip_factor %[[NORM]] limit 1.000000e+00
// CHECK: train.trust_ratio %[[N]], %[[N]] coefficient 1.000000e-03 weight_decay 0.000000e+00 epsilon 0.000000e+00
// CHECK: train.scale_gradient %{{.*}} by %[[F]] : tensor<4x3xf32>
// CHECK: train.clamp_gradient %{{.*}} limit 5.000000e-01 : tensor<4x3xf32>
func.func @gradient_norm(%g: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %n = train.squared_norm %g : tensor<4x3xf32>
  %norm = train.global_norm %n, %n
  %f = train.clip_factor %norm limit 1.0
  %ratio = train.trust_ratio %n, %n coefficient 0.001 weight_decay 0.0 epsilon 0.0
  %h = train.scale_gradient %g by %f : tensor<4x3xf32>
  %c = train.clamp_gradient %h limit 0.5 : tensor<4x3xf32>
  return %c : tensor<4x3xf32>
}

// -----

func.func @squared_norm_integers(%g: tensor<4xi32>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float values}}
  %n = train.squared_norm %g : tensor<4xi32>
  return
}
