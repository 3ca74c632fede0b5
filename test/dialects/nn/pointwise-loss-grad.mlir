// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pointwise_loss_grad
// CHECK: nn.pointwise_loss_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} of nn.mse : tensor<2x3xf32>, tensor<2x3xf32>
func.func @pointwise_loss_grad(%s: tensor<f32>, %p: tensor<2x3xf32>, %t: tensor<2x3xf32>,
    %valid: tensor<i32>) -> tensor<2x3xf32> {
  %dp = nn.pointwise_loss_grad %s, %p, %t, %valid of nn.mse
      : tensor<2x3xf32>, tensor<2x3xf32>
  return %dp : tensor<2x3xf32>
}

// -----

func.func @pointwise_loss_grad_c1(%s: tensor<f32>, %p: tensor<2x3xf32>, %t: tensor<2x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs and targets of one shape, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %d = nn.pointwise_loss_grad %s, %p, %t, %valid of nn.mse : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @pointwise_loss_grad_c2(%s: tensor<f32>, %p: tensor<2x3xf32>, %t: tensor<2x3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected the name of an op with a gradient rule after 'of', as nn.relu, found nn.cross_entropy}}
  %d = nn.pointwise_loss_grad %s, %p, %t, %valid of nn.cross_entropy : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @pointwise_loss_grad_c2_operands(%s: tensor<f32>, %p: tensor<2x3xf32>, %t: tensor<2x3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{'nn.relu' op requires one result}}
  %d = nn.pointwise_loss_grad %s, %p, %t, %valid of nn.relu : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @pointwise_loss_grad_weights
// CHECK: nn.pointwise_loss_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} of nn.mse : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
func.func @pointwise_loss_grad_weights(%s: tensor<f32>, %p: tensor<2x3xf32>,
    %t: tensor<2x3xf32>, %valid: tensor<i32>, %w: tensor<2xf32>) -> tensor<2x3xf32> {
  %dp = nn.pointwise_loss_grad %s, %p, %t, %valid weights %w of nn.mse
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  return %dp : tensor<2x3xf32>
}

// -----

func.func @pointwise_loss_grad_c1_weights(%s: tensor<f32>, %p: tensor<2x3xf32>,
    %valid: tensor<i32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weights [2], found 'tensor<4xf32>'}}
  %d = nn.pointwise_loss_grad %s, %p, %p, %valid weights %w of nn.mse
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>
  return
}
