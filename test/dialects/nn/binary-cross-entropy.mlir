// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @binary_cross_entropy
// CHECK: nn.binary_cross_entropy %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK: nn.pointwise_loss_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} of nn.binary_cross_entropy : tensor<2x3xf32>, tensor<2x3xf32>
func.func @binary_cross_entropy(%p: tensor<2x3xf32>, %t: tensor<2x3xf32>, %valid: tensor<i32>)
    -> tensor<2x3xf32> {
  %sum, %count = nn.binary_cross_entropy %p, %t, %valid : tensor<2x3xf32>, tensor<2x3xf32>
  %dp = nn.pointwise_loss_grad %sum, %p, %t, %valid of nn.binary_cross_entropy : tensor<2x3xf32>, tensor<2x3xf32>
  return %dp : tensor<2x3xf32>
}

// -----

func.func @binary_cross_entropy_c1(%p: tensor<2x3xf32>, %t: tensor<2x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs and targets of one shape, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %s, %c = nn.binary_cross_entropy %p, %t, %valid : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @binary_cross_entropy_c1_rank(%p: tensor<2xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs [batch, ...], found 'tensor<2xf32>'}}
  %s, %c = nn.binary_cross_entropy %p, %p, %valid : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @binary_cross_entropy_grad_c1(%s: tensor<f32>, %p: tensor<2x3xf32>, %t: tensor<2x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs and targets of one shape, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %d = nn.pointwise_loss_grad %s, %p, %t, %valid of nn.binary_cross_entropy : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @binary_cross_entropy_weights
// CHECK: nn.binary_cross_entropy %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
func.func @binary_cross_entropy_weights(%p: tensor<2x3xf32>, %t: tensor<2x3xf32>, %valid: tensor<i32>,
    %w: tensor<2xf32>) -> tensor<f32> {
  %sum, %count = nn.binary_cross_entropy %p, %t, %valid weights %w
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  return %sum : tensor<f32>
}

// -----

func.func @binary_cross_entropy_c1_weights(%p: tensor<2x3xf32>, %valid: tensor<i32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected weights [2], found 'tensor<3xf32>'}}
  %sum, %count = nn.binary_cross_entropy %p, %p, %valid weights %w
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>
  return
}
