// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @ops
// CHECK: train.project %{{.*}} onto %{{.*}} : tensor<3x4xf32>, tensor<8x3x4xf32>
// CHECK: train.lift %{{.*}}, %{{.*}} by %{{.*}} : (tensor<8xf32>, tensor<8xf32>), tensor<8x3x4xf32>
// CHECK: train.project %{{.*}} onto %{{.*}} shards 2 : tensor<3x4xf32>, tensor<8x3x4xf32>
// CHECK: train.lift %{{.*}} by %{{.*}} : (tensor<16xf32>), tensor<8x3x4xf32>
// CHECK: train.dot %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK: train.bfgs_update %{{.*}} of %{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8xf32>
// CHECK: train.replace %{{.*}} by %{{.*}} times %{{.*}} if %{{.*}} : tensor<8xf32>
// CHECK: train.subspace_step %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} alpha 1.000000e-03 gamma 9.000000e-01 if %{{.*}} : tensor<3x4xf32>
func.func @ops(%w: tensor<3x4xf32>, %basis: tensor<8x3x4xf32>, %e: tensor<8x8xf32>,
               %f: tensor<f32>, %applied: tensor<i32>) {
  %c = train.project %w onto %basis : tensor<3x4xf32>, tensor<8x3x4xf32>
  %d, %p = train.lift %c, %c by %basis : (tensor<8xf32>, tensor<8xf32>), tensor<8x3x4xf32>
  %c2 = train.project %w onto %basis shards 2 : tensor<3x4xf32>, tensor<8x3x4xf32>
  %d2 = train.lift %c2 by %basis : (tensor<16xf32>), tensor<8x3x4xf32>
  %0 = train.dot %c, %c : tensor<8xf32>
  %1 = train.bfgs_update %e of %c, %c : tensor<8x8xf32>, tensor<8xf32>
  %2 = train.replace %c by %c times %f if %applied : tensor<8xf32>
  %3, %4 = train.subspace_step %w, %d, %f, %p, %w alpha 1.0e-3 gamma 0.9 if %applied : tensor<3x4xf32>
  return
}

// -----

// A scalar parameter has a basis of single numbers.
// CHECK-LABEL: func.func @scalar
// CHECK: train.project {{.*}} : tensor<f32>, tensor<8xf32>
// CHECK: train.lift {{.*}} : (tensor<8xf32>), tensor<8xf32>
func.func @scalar(%w: tensor<f32>, %basis: tensor<8xf32>) -> tensor<f32> {
  %c = train.project %w onto %basis : tensor<f32>, tensor<8xf32>
  %d = train.lift %c by %basis : (tensor<8xf32>), tensor<8xf32>
  return %d : tensor<f32>
}

// -----

func.func @project_c1(%w: tensor<3x4xf32>, %basis: tensor<8x4x3xf32>) {
  // expected-error @+1 {{expected a basis of tensors of the shape of 'tensor<3x4xf32>', found 'tensor<8x4x3xf32>'}}
  %c = train.project %w onto %basis : tensor<3x4xf32>, tensor<8x4x3xf32>
  return
}

// -----

func.func @project_c2(%w: tensor<3xf32>, %basis: tensor<8x3xf32>) {
  // expected-error @+1 {{expected shards with 1 to 4096 rows together, found 513 of 8}}
  %c = train.project %w onto %basis shards 513 : tensor<3xf32>, tensor<8x3xf32>
  return
}

// -----

func.func @project_c2(%w: tensor<3xf32>, %basis: tensor<8x3xf32>) {
  // expected-error @+1 {{expected shards with 1 to 4096 rows together, found 0 of 8}}
  %c = train.project %w onto %basis shards 0 : tensor<3xf32>, tensor<8x3xf32>
  return
}

// -----

func.func @lift_c1(%c: tensor<7xf32>, %basis: tensor<8x4x3xf32>) {
  // expected-error @+1 {{expected a coordinate for each row of 'tensor<8x4x3xf32>', or as many for each shard, found 'tensor<7xf32>'}}
  %d = train.lift %c by %basis : (tensor<7xf32>), tensor<8x4x3xf32>
  return
}

// -----

func.func @bfgs_update_c1(%e: tensor<8x7xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{expected a correction of 8x8 for steps of 'tensor<8xf32>', found 'tensor<8x7xf32>'}}
  %0 = train.bfgs_update %e of %s, %s : tensor<8x7xf32>, tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expected 1 to 4096 components, rho, sigma and gamma from 0 to 1 and alpha of 0 or more}}
module attributes { a = #train.subspace<components = 4, rho = 1.5 : f64, sigma = 0.5 : f64, alpha = 0.5 : f64, gamma = 0.5 : f64> } {
}

// -----

// expected-error @+1 {{expected 1 to 4096 components, rho, sigma and gamma from 0 to 1 and alpha of 0 or more}}
module attributes { a = #train.subspace<components = 4097, rho = 0.5 : f64, sigma = 0.5 : f64, alpha = 0.5 : f64, gamma = 0.5 : f64> } {
}

// -----

// expected-error @+1 {{expected shards that divide 4 components, found 3}}
module attributes { a = #train.subspace<components = 4, rho = 0.5 : f64, sigma = 0.5 : f64, alpha = 0.5 : f64, gamma = 0.5 : f64, shards = 3> } {
}
