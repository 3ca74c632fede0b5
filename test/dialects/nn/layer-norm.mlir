// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
// CHECK: nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x4xf32>, tensor<4xf32>
// CHECK: nn.layer_norm_grad_input %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x4xf32>, tensor<4xf32>
// CHECK: nn.layer_norm_grad_parameters %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<2x3x4xf32> -> tensor<3x4xf32>
func.func @layer_norm(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %valid: tensor<i32>)
    -> (tensor<2x3x4xf32>, tensor<3x4xf32>) {
  %y = nn.layer_norm %x, %g, %g epsilon 1.0e-5 : tensor<2x3x4xf32>, tensor<4xf32>
  %dx = nn.layer_norm_grad_input %y, %x, %g epsilon 1.0e-5
      : tensor<2x3x4xf32>, tensor<4xf32>
  %dg, %db = nn.layer_norm_grad_parameters %y, %x, %valid epsilon 1.0e-5
      : tensor<2x3x4xf32> -> tensor<3x4xf32>
  return %dx, %dg : tensor<2x3x4xf32>, tensor<3x4xf32>
}

// -----

func.func @layer_norm_c1(%x: tensor<2x3x4xf32>, %g: tensor<3xf32>) {
  // expected-error @+1 {{expected parameters of the shape of trailing dimensions of 'tensor<2x3x4xf32>', found 'tensor<3xf32>'}}
  %y = nn.layer_norm %x, %g, %g epsilon 1.0e-5 : tensor<2x3x4xf32>, tensor<3xf32>
  return
}

// -----

func.func @layer_norm_c1_batch(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected parameters of the shape of trailing dimensions of 'tensor<2x3xf32>', found 'tensor<2x3xf32>'}}
  %y = nn.layer_norm %x, %x, %x epsilon 1.0e-5 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_grad_input_c1(%x: tensor<2x3x4xf32>, %g: tensor<3xf32>) {
  // expected-error @+1 {{expected parameters of the shape of trailing dimensions of 'tensor<2x3x4xf32>', found 'tensor<3xf32>'}}
  %y = nn.layer_norm_grad_input %x, %x, %g epsilon 1.0e-5 : tensor<2x3x4xf32>, tensor<3xf32>
  return
}

// -----

func.func @layer_norm_grad_parameters_c1(%x: tensor<2x3x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected parameters of the shape of trailing dimensions of 'tensor<2x3x4xf32>', found 'tensor<3xf32>'}}
  %y, %z = nn.layer_norm_grad_parameters %x, %x, %valid epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<3xf32>
  return
}
