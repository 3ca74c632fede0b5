// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @center_gradient
// CHECK: %[[M:.+]] = train.filter_means %{{.*}} : tensor<4x3x2xf32>
// CHECK: train.center_gradient %{{.*}} by %[[M]] : tensor<4x3x2xf32>, tensor<4xf32>
func.func @center_gradient(%g: tensor<4x3x2xf32>) -> tensor<4x3x2xf32> {
  %m = train.filter_means %g : tensor<4x3x2xf32>
  %c = train.center_gradient %g by %m : tensor<4x3x2xf32>, tensor<4xf32>
  return %c : tensor<4x3x2xf32>
}

// -----

func.func @filter_means_c1(%g: tensor<4xf32>) {
  // expected-error @+1 {{expected a gradient of rank 2 or more, found 'tensor<4xf32>'}}
  %m = train.filter_means %g : tensor<4xf32>
  return
}

// -----

func.func @center_gradient_c1(%g: tensor<4x3xf32>, %m: tensor<3xf32>) {
  // expected-error @+1 {{expected a mean for each index of dimension 0 of 'tensor<4x3xf32>', found 'tensor<3xf32>'}}
  %c = train.center_gradient %g by %m : tensor<4x3xf32>, tensor<3xf32>
  return
}
