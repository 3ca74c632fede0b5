// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @averages
// CHECK: thor.average_factor %{{.*}}, %{{.*}} by %{{.*}} rows 5 positions 1 after %{{.*}} decay 5.000000e-01 : tensor<2x4x4xf32>
// CHECK: thor.average_factor %{{.*}}, %{{.*}} by %{{.*}} rows 1 positions 64 scale %{{.*}} after %{{.*}} decay 0.000000e+00 : tensor<2x4x4xf32>
func.func @averages(%a: tensor<2x4x4xf32>, %f: tensor<2x4x4xf32>, %n: tensor<i64>, %k: tensor<i64>, %s: tensor<f32>)
    -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %0 = thor.average_factor %a, %f by %n rows 5 positions 1 after %k decay 0.5 : tensor<2x4x4xf32>
  %1 = thor.average_factor %a, %f by %n rows 1 positions 64 scale %s after %k decay 0.0
      : tensor<2x4x4xf32>
  return %0, %1 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// -----

func.func @decay(%a: tensor<2x4x4xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{expected a decay of at least 0 and below 1, found 1.000000e+00}}
  %0 = thor.average_factor %a, %a by %n rows 1 positions 1 after %n decay 1.0 : tensor<2x4x4xf32>
  return
}

// -----

func.func @rows(%a: tensor<2x4x4xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{expected rows of 1 or more, found 0}}
  %0 = thor.average_factor %a, %a by %n rows 0 positions 1 after %n decay 0.5 : tensor<2x4x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @split
// CHECK: thor.split_damping %{{.*}}, %{{.*}} ratio 5.000000e-01 damping %{{.*}} : tensor<2x4x4xf32>, tensor<1x3x3xf32>
// CHECK: thor.split_damping %{{.*}}, %{{.*}} ratio 2.000000e+00 scale %{{.*}} damping %{{.*}} : tensor<2x4x4xf32>, tensor<1x3x3xf32>
func.func @split(%a: tensor<2x4x4xf32>, %g: tensor<1x3x3xf32>, %s: tensor<f32>, %l: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0, %1 = thor.split_damping %a, %g ratio 0.5 damping %l : tensor<2x4x4xf32>, tensor<1x3x3xf32>
  %2, %3 = thor.split_damping %a, %g ratio 2.0 scale %s damping %l
      : tensor<2x4x4xf32>, tensor<1x3x3xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func @ratio(%a: tensor<2x4x4xf32>, %l: tensor<f32>) {
  // expected-error @+1 {{expected a positive ratio, found 0.000000e+00}}
  %0, %1 = thor.split_damping %a, %a ratio 0.0 damping %l : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @square(%a: tensor<2x4x4xf32>, %g: tensor<2x4x3xf32>, %l: tensor<f32>) {
  // expected-error @+1 {{expected square blocks, found 'tensor<2x4x3xf32>'}}
  %0, %1 = thor.split_damping %a, %g ratio 1.0 damping %l : tensor<2x4x4xf32>, tensor<2x4x3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @limited
// CHECK: %[[D:.*]] = thor.kl_divergence %{{.*}}, %{{.*}} rate %{{.*}} : tensor<4x3xf32>
// CHECK: thor.kl_factor %[[D]], %[[D]] limit 1.000000e-03
func.func @limited(%p: tensor<4x3xf32>, %g: tensor<4x3xf32>, %lr: tensor<f32>) -> tensor<f32> {
  %0 = thor.kl_divergence %p, %g rate %lr : tensor<4x3xf32>
  %1 = thor.kl_factor %0, %0 limit 1.0e-3
  return %1 : tensor<f32>
}

// -----

func.func @limit(%d: tensor<f32>) {
  // expected-error @+1 {{expected a positive limit, found 0.000000e+00}}
  %0 = thor.kl_factor %d limit 0.0
  return
}
