// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK: nn.bias %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3xf32>
// CHECK: nn.bias %{{.*}}, %{{.*}} : tensor<2x3x4x5xf32>, tensor<3xf32>
func.func @bias(%x: tensor<2x3xf32>, %z: tensor<2x3x4x5xf32>, %b: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3x4x5xf32>) {
  %y = nn.bias %x, %b : tensor<2x3xf32>, tensor<3xf32>
  %u = nn.bias %z, %b : tensor<2x3x4x5xf32>, tensor<3xf32>
  return %y, %u : tensor<2x3xf32>, tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @bias_grad
// CHECK: nn.bias_grad %{{.*}}, %{{.*}} : tensor<2x3x4xf32>
func.func @bias_grad(%dy: tensor<2x3x4xf32>, %valid: tensor<i32>) -> tensor<3xf32> {
  %db = nn.bias_grad %dy, %valid : tensor<2x3x4xf32>
  return %db : tensor<3xf32>
}

// -----

func.func @bias_c1(%x: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected an input of rank 2 or more, found 'tensor<3xf32>'}}
  %y = nn.bias %x, %b : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @bias_c2(%x: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{expected a bias of 3 elements for input 'tensor<2x3xf32>', found 'tensor<2xf32>'}}
  %y = nn.bias %x, %b : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @bias_grad_c1(%dy: tensor<3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a gradient of rank 2 or more, found 'tensor<3xf32>'}}
  %db = nn.bias_grad %dy, %valid : tensor<3xf32>
  return
}
