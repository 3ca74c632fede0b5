// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @cross_entropy
// CHECK: nn.cross_entropy %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK: nn.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @cross_entropy(%p: tensor<2x3xf32>, %t: tensor<2x3xf32>, %valid: tensor<i32>)
    -> tensor<2x3xf32> {
  %sum, %count = nn.cross_entropy %p, %t, %valid : tensor<2x3xf32>, tensor<2x3xf32>
  %dp = nn.cross_entropy_grad %sum, %t, %valid : tensor<2x3xf32>
  return %dp : tensor<2x3xf32>
}

// -----

func.func @cross_entropy_c1(%p: tensor<2x3xf32>, %t: tensor<2x4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs and targets of one shape, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %s, %c = nn.cross_entropy %p, %t, %valid : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @cross_entropy_c1_rank(%p: tensor<2xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs [batch, ...], found 'tensor<2xf32>'}}
  %s, %c = nn.cross_entropy %p, %p, %valid : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @cross_entropy_grad_c1(%s: tensor<f32>, %t: tensor<3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected outputs [batch, ...], found 'tensor<3xf32>'}}
  %d = nn.cross_entropy_grad %s, %t, %valid : tensor<3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @cross_entropy_weights
// CHECK: nn.cross_entropy %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5xf32>
// CHECK: nn.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<2x5x3xf32>, tensor<2x5xf32>
func.func @cross_entropy_weights(%p: tensor<2x5x3xf32>, %t: tensor<2x5x3xf32>,
                                 %valid: tensor<i32>, %w: tensor<2x5xf32>)
    -> tensor<2x5x3xf32> {
  %sum, %count = nn.cross_entropy %p, %t, %valid weights %w
      : tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5xf32>
  %dp = nn.cross_entropy_grad %sum, %t, %valid weights %w : tensor<2x5x3xf32>, tensor<2x5xf32>
  return %dp : tensor<2x5x3xf32>
}

// -----

func.func @cross_entropy_c1_weights(%p: tensor<2x3xf32>, %valid: tensor<i32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected weights [2], found 'tensor<3xf32>'}}
  %s, %c = nn.cross_entropy %p, %p, %valid weights %w
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @cross_entropy_grad_c1_weights(%s: tensor<f32>, %t: tensor<2x3xf32>,
                                         %valid: tensor<i32>, %w: tensor<2x3xf32>) {
  // expected-error @+1 {{expected weights [2], found 'tensor<2x3xf32>'}}
  %d = nn.cross_entropy_grad %s, %t, %valid weights %w : tensor<2x3xf32>, tensor<2x3xf32>
  return
}
