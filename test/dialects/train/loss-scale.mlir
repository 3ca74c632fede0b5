// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @loss_scale
// CHECK: train.unscale_gradient %{{.*}} by %{{.*}} : tensor<4x3xf32>
// CHECK: train.adjust_loss_scale %{{.*}}, %{{.*}} of %{{.*}} if %{{.*}} factor 2.000000e+00 window 2000
// CHECK: train.adjust_loss_scale %{{.*}}, %{{.*}} of weight %{{.*}} if %{{.*}} factor 4.000000e+00 window 1
func.func @loss_scale(%g: tensor<4x3xf32>, %s: tensor<f32>, %n: tensor<i64>, %count: tensor<i64>,
                      %w: tensor<f32>, %applied: tensor<i32>)
    -> (tensor<4x3xf32>, tensor<f32>, tensor<f32>) {
  %h = train.unscale_gradient %g by %s : tensor<4x3xf32>
  %s1, %n1, %u1 = train.adjust_loss_scale %s, %n of %count if %applied factor 2.0 window 2000
  %s2, %n2, %u2 = train.adjust_loss_scale %s, %n of weight %w if %applied factor 4.0 window 1
  return %h, %s1, %s2 : tensor<4x3xf32>, tensor<f32>, tensor<f32>
}

// -----

func.func @adjust_loss_scale_c1(%s: tensor<f32>, %n: tensor<i64>, %applied: tensor<i32>) {
  // expected-error @+1 {{expected a finite factor above 1, found 1.000000e+00}}
  %s1, %n1, %u1 = train.adjust_loss_scale %s, %n of %n if %applied factor 1.0 window 2000
  return
}

// -----

func.func @adjust_loss_scale_c2(%s: tensor<f32>, %n: tensor<i64>, %applied: tensor<i32>) {
  // expected-error @+1 {{expected a window of 1 or more, found 0}}
  %s1, %n1, %u1 = train.adjust_loss_scale %s, %n of %n if %applied factor 2.0 window 0
  return
}
