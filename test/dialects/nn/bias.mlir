// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK: nn.bias %{{.*}}, %{{.*}} axis 1 : tensor<2x3xf32>, tensor<3xf32>
// CHECK: nn.bias %{{.*}}, %{{.*}} axis 1 : tensor<2x3x4x5xf32>, tensor<3xf32>
func.func @bias(%x: tensor<2x3xf32>, %z: tensor<2x3x4x5xf32>, %b: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3x4x5xf32>) {
  %y = nn.bias %x, %b axis 1 : tensor<2x3xf32>, tensor<3xf32>
  %u = nn.bias %z, %b axis 1 : tensor<2x3x4x5xf32>, tensor<3xf32>
  return %y, %u : tensor<2x3xf32>, tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @bias_last
// CHECK: nn.bias %{{.*}}, %{{.*}} axis 2 : tensor<2x4x3xf32>, tensor<3xf32>
// CHECK: nn.bias_grad %{{.*}}, %{{.*}} axis 2 : tensor<2x4x3xf32>
func.func @bias_last(%x: tensor<2x4x3xf32>, %b: tensor<3xf32>, %valid: tensor<i32>)
    -> (tensor<2x4x3xf32>, tensor<3xf32>) {
  %y = nn.bias %x, %b axis 2 : tensor<2x4x3xf32>, tensor<3xf32>
  %db = nn.bias_grad %y, %valid axis 2 : tensor<2x4x3xf32>
  return %y, %db : tensor<2x4x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @bias_grad
// CHECK: nn.bias_grad %{{.*}}, %{{.*}} axis 1 : tensor<2x3x4xf32>
func.func @bias_grad(%dy: tensor<2x3x4xf32>, %valid: tensor<i32>) -> tensor<3xf32> {
  %db = nn.bias_grad %dy, %valid axis 1 : tensor<2x3x4xf32>
  return %db : tensor<3xf32>
}

// -----

func.func @bias_c1(%x: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 0 of 'tensor<3xf32>', found 1}}
  %y = nn.bias %x, %b axis 1 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @bias_c2(%x: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{expected a bias of 3 elements for input 'tensor<2x3xf32>', found 'tensor<2xf32>'}}
  %y = nn.bias %x, %b axis 1 : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @bias_grad_c1(%dy: tensor<3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected an axis from 1 to 0 of 'tensor<3xf32>', found 1}}
  %db = nn.bias_grad %dy, %valid axis 1 : tensor<3xf32>
  return
}

// -----

func.func @bias_grad_c1_axis(%dy: tensor<2x3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x3xf32>', found 2}}
  %db = nn.bias_grad %dy, %valid axis 2 : tensor<2x3xf32>
  return
}
