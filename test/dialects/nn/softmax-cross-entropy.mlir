// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softmax_cross_entropy
// CHECK: nn.softmax_cross_entropy %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4xi32>
// CHECK: nn.softmax_cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4xi32>
func.func @softmax_cross_entropy(%l: tensor<4x3xf32>, %t: tensor<4xi32>,
                                 %valid: tensor<i32>)
    -> (tensor<f32>, tensor<i64>, tensor<4x3xf32>) {
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid : tensor<4x3xf32>, tensor<4xi32>
  %dl = nn.softmax_cross_entropy_grad %sum, %l, %t, %valid
      : tensor<4x3xf32>, tensor<4xi32>
  return %sum, %count, %dl : tensor<f32>, tensor<i64>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @softmax_cross_entropy_smoothed
// CHECK: nn.softmax_cross_entropy {{.*}} smoothing 1.000000e-01 others :
// CHECK: nn.softmax_cross_entropy_grad {{.*}} smoothing 1.000000e-01 :
func.func @softmax_cross_entropy_smoothed(%l: tensor<4x3xf32>, %t: tensor<4xi32>,
                                          %valid: tensor<i32>) -> tensor<4x3xf32> {
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid smoothing 0.1 others
      : tensor<4x3xf32>, tensor<4xi32>
  %dl = nn.softmax_cross_entropy_grad %sum, %l, %t, %valid smoothing 0.1
      : tensor<4x3xf32>, tensor<4xi32>
  return %dl : tensor<4x3xf32>
}

// -----

func.func @softmax_cross_entropy_c3(%l: tensor<4x3xf32>, %t: tensor<4xi32>,
                                    %valid: tensor<i32>) {
  // expected-error @+1 {{expected a smoothing of at least 0 and below 1, found 1.000000e+00}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid smoothing 1.0
      : tensor<4x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c1(%l: tensor<4xf32>, %t: tensor<4xi32>,
                                    %valid: tensor<i32>) {
  // expected-error @+1 {{expected logits [batch, ..., classes], found 'tensor<4xf32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid
      : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c2_positions(%l: tensor<4x3x7xf32>, %t: tensor<4xi32>,
                                              %valid: tensor<i32>) {
  // expected-error @+1 {{expected labels [4, 3], one per row of the logits, found 'tensor<4xi32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid
      : tensor<4x3x7xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c2(%l: tensor<4x3xf32>, %t: tensor<3xi32>,
                                    %valid: tensor<i32>) {
  // expected-error @+1 {{expected labels [4], one per row of the logits, found 'tensor<3xi32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid : tensor<4x3xf32>, tensor<3xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c2_rank(%l: tensor<4x3xf32>, %t: tensor<4x1xi32>,
                                         %valid: tensor<i32>) {
  // expected-error @+1 {{expected labels [4], one per row of the logits, found 'tensor<4x1xi32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid
      : tensor<4x3xf32>, tensor<4x1xi32>
  return
}

// -----

func.func @softmax_cross_entropy_grad_c1(%ds: tensor<f32>, %l: tensor<4xf32>,
                                         %t: tensor<4xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected logits [batch, ..., classes], found 'tensor<4xf32>'}}
  %dl = nn.softmax_cross_entropy_grad %ds, %l, %t, %valid : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_grad_c2(%ds: tensor<f32>, %l: tensor<4x3xf32>,
                                         %t: tensor<3xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected labels [4], one per row of the logits, found 'tensor<3xi32>'}}
  %dl = nn.softmax_cross_entropy_grad %ds, %l, %t, %valid
      : tensor<4x3xf32>, tensor<3xi32>
  return
}

// -----

// CHECK-LABEL: func.func @softmax_cross_entropy_weights
// CHECK: nn.softmax_cross_entropy %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} smoothing 1.250000e-01 : tensor<4x5x3xf32>, tensor<4x5xi32>, tensor<4x5xf32>
// CHECK: nn.softmax_cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} smoothing 1.250000e-01 : tensor<4x5x3xf32>, tensor<4x5xi32>, tensor<4x5xf32>
func.func @softmax_cross_entropy_weights(%l: tensor<4x5x3xf32>, %t: tensor<4x5xi32>,
                                         %valid: tensor<i32>, %w: tensor<4x5xf32>)
    -> tensor<4x5x3xf32> {
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid weights %w smoothing 0.125
      : tensor<4x5x3xf32>, tensor<4x5xi32>, tensor<4x5xf32>
  %dl = nn.softmax_cross_entropy_grad %sum, %l, %t, %valid weights %w smoothing 0.125
      : tensor<4x5x3xf32>, tensor<4x5xi32>, tensor<4x5xf32>
  return %dl : tensor<4x5x3xf32>
}

// -----

func.func @softmax_cross_entropy_c2_weights(%l: tensor<4x5x3xf32>, %t: tensor<4x5xi32>,
                                            %valid: tensor<i32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weights [4, 5], found 'tensor<4xf32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid weights %w
      : tensor<4x5x3xf32>, tensor<4x5xi32>, tensor<4xf32>
  return
}

// -----

func.func @softmax_cross_entropy_grad_c2_weights(%ds: tensor<f32>, %l: tensor<4x3xf32>,
    %t: tensor<4xi32>, %valid: tensor<i32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected weights [4], found 'tensor<3xf32>'}}
  %dl = nn.softmax_cross_entropy_grad %ds, %l, %t, %valid weights %w
      : tensor<4x3xf32>, tensor<4xi32>, tensor<3xf32>
  return
}
