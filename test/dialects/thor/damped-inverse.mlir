// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @inverses
// CHECK: thor.damped_inverse %{{.*}} by %{{.*}} rows 5 positions 1 damping %{{.*}} : tensor<2x4x4xf32>
// CHECK: thor.damped_inverse %{{.*}} by %{{.*}} rows 1 positions 64 scale %{{.*}} damping %{{.*}} : tensor<2x4x4xf32>
// CHECK: thor.damped_inverse %{{.*}} by %{{.*}} mean rows 1 positions 64 damping %{{.*}} : tensor<2x4x4xf32>
// CHECK: thor.damped_inverse %{{.*}} by %{{.*}} rows 1 positions 1 damping %{{.*}} where %{{.*}} : tensor<2x4x4xf32>
func.func @inverses(%f: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>, %lambda: tensor<f32>,
                    %flags: tensor<2xi64>)
    -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %0, %1 = thor.damped_inverse %f by %n rows 5 positions 1 damping %lambda : tensor<2x4x4xf32>
  %2, %3 = thor.damped_inverse %f by %n rows 1 positions 64 scale %s damping %lambda
      : tensor<2x4x4xf32>
  %4, %5 = thor.damped_inverse %f by %n mean rows 1 positions 64 damping %lambda
      : tensor<2x4x4xf32>
  %6, %7 = thor.damped_inverse %f by %n rows 1 positions 1 damping %lambda where %flags
      : tensor<2x4x4xf32>
  return %0, %2, %4, %6 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// -----

func.func @flags(%f: tensor<2x4x4xf32>, %n: tensor<i64>, %lambda: tensor<f32>, %flags: tensor<3xi64>) {
  // expected-error @+1 {{failed to verify that there is a flag for each block}}
  %0, %1 = "thor.damped_inverse"(%f, %n, %lambda, %flags)
      <{rows = 1, positions = 1, operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>}>
      : (tensor<2x4x4xf32>, tensor<i64>, tensor<f32>, tensor<3xi64>)
      -> (tensor<2x4x4xf32>, tensor<i32>)
  return
}

// -----

func.func @square(%f: tensor<2x4x3xf32>, %n: tensor<i64>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected square blocks, found 'tensor<2x4x3xf32>'}}
  %0, %1 = thor.damped_inverse %f by %n rows 1 positions 1 damping %lambda : tensor<2x4x3xf32>
  return
}

// -----

func.func @scaled_mean(%f: tensor<2x4x4xf32>, %n: tensor<i64>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a mean without a scale}}
  %0, %1 = thor.damped_inverse %f by %n mean rows 1 positions 1 scale %lambda damping %lambda
      : tensor<2x4x4xf32>
  return
}

// -----

func.func @rows(%f: tensor<2x4x4xf32>, %n: tensor<i64>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected rows of 1 or more, found 0}}
  %0, %1 = thor.damped_inverse %f by %n rows 0 positions 1 damping %lambda : tensor<2x4x4xf32>
  return
}

// -----

func.func @positions(%f: tensor<2x4x4xf32>, %n: tensor<i64>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected positions of 1 or more, found 0}}
  %0, %1 = thor.damped_inverse %f by %n rows 1 positions 0 damping %lambda : tensor<2x4x4xf32>
  return
}
