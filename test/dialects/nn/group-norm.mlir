// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @group_norm
// CHECK: nn.group_norm %{{.*}}, %{{.*}}, %{{.*}} groups 3 epsilon 1.000000e-05 : tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>
// CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}}, %{{.*}} groups 3 epsilon 1.000000e-05 : tensor<2x6x4xf32>, tensor<6xf32>
// CHECK: nn.group_norm_grad_parameters %{{.*}}, %{{.*}}, %{{.*}} groups 3 epsilon 1.000000e-05 : tensor<2x6x4xf32> -> tensor<6xf32>
func.func @group_norm(%x: tensor<2x6x4xf32>, %w: tensor<6xf32>, %valid: tensor<i32>)
    -> (tensor<2x6x4xf32>, tensor<6xf32>) {
  %y = nn.group_norm %x, %w, %w groups 3 epsilon 1.0e-5
      : tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>
  %dx = nn.group_norm_grad_input %y, %x, %w groups 3 epsilon 1.0e-5
      : tensor<2x6x4xf32>, tensor<6xf32>
  %dw, %db = nn.group_norm_grad_parameters %y, %x, %valid groups 3 epsilon 1.0e-5
      : tensor<2x6x4xf32> -> tensor<6xf32>
  return %dx, %dw : tensor<2x6x4xf32>, tensor<6xf32>
}

// Without parameters.
// CHECK-LABEL: func.func @plain
// CHECK: nn.group_norm %{{.*}} groups 1 epsilon 1.000000e-05 : tensor<2x6xf32>
// CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}} groups 1 epsilon 1.000000e-05 : tensor<2x6xf32>
func.func @plain(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %y = nn.group_norm %x groups 1 epsilon 1.0e-5 : tensor<2x6xf32>
  %dx = nn.group_norm_grad_input %y, %x groups 1 epsilon 1.0e-5 : tensor<2x6xf32>
  return %dx : tensor<2x6xf32>
}

// -----

func.func @group_norm_c1(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected an input of rank 2 or more, found 'tensor<6xf32>'}}
  %y = nn.group_norm %x groups 1 epsilon 1.0e-5 : tensor<6xf32>
  return
}

// -----

func.func @group_norm_c2(%x: tensor<2x6x4xf32>) {
  // expected-error @+1 {{expected groups that divide 6 channels, found 4}}
  %y = nn.group_norm %x groups 4 epsilon 1.0e-5 : tensor<2x6x4xf32>
  return
}

// -----

func.func @group_norm_c2_none(%x: tensor<2x6x4xf32>) {
  // expected-error @+1 {{expected groups that divide 6 channels, found 0}}
  %y = nn.group_norm %x groups 0 epsilon 1.0e-5 : tensor<2x6x4xf32>
  return
}

// -----

func.func @group_norm_c3(%x: tensor<2x6x4xf32>, %w: tensor<6xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected parameters of 6 elements for input 'tensor<2x6x4xf32>', found 'tensor<4xf32>'}}
  %y = nn.group_norm %x, %w, %b groups 2 epsilon 1.0e-5
      : tensor<2x6x4xf32>, tensor<6xf32>, tensor<4xf32>
  return
}

// -----

func.func @group_norm_c4(%x: tensor<2x6x4xf32>, %w: tensor<6xf32>) {
  // expected-error @+1 {{expected weight and bias, or neither of them}}
  %y = "nn.group_norm"(%x, %w) <{groups = 2 : i64, epsilon = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @group_norm_grad_input_c1(%x: tensor<2x6x4xf32>) {
  // expected-error @+1 {{expected groups that divide 6 channels, found 4}}
  %y = nn.group_norm_grad_input %x, %x groups 4 epsilon 1.0e-5 : tensor<2x6x4xf32>
  return
}

// -----

func.func @group_norm_grad_parameters_c1(%x: tensor<2x6x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected parameters of 6 elements for input 'tensor<2x6x4xf32>', found 'tensor<3xf32>'}}
  %y, %z = nn.group_norm_grad_parameters %x, %x, %valid groups 3 epsilon 1.0e-5
      : tensor<2x6x4xf32> -> tensor<3xf32>
  return
}
