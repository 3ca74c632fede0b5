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

// -----

func.func @softmax_cross_entropy_c1(%l: tensor<4x3x1xf32>, %t: tensor<4xi32>,
                                    %valid: tensor<i32>) {
  // expected-error @+1 {{expected logits [batch, classes], found 'tensor<4x3x1xf32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid
      : tensor<4x3x1xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c2(%l: tensor<4x3xf32>, %t: tensor<3xi32>,
                                    %valid: tensor<i32>) {
  // expected-error @+1 {{expected 4 labels, one per row of the logits, found 'tensor<3xi32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid : tensor<4x3xf32>, tensor<3xi32>
  return
}

// -----

func.func @softmax_cross_entropy_c2_rank(%l: tensor<4x3xf32>, %t: tensor<4x1xi32>,
                                         %valid: tensor<i32>) {
  // expected-error @+1 {{expected 4 labels, one per row of the logits, found 'tensor<4x1xi32>'}}
  %sum, %count = nn.softmax_cross_entropy %l, %t, %valid
      : tensor<4x3xf32>, tensor<4x1xi32>
  return
}

// -----

func.func @softmax_cross_entropy_grad_c1(%ds: tensor<f32>, %l: tensor<4xf32>,
                                         %t: tensor<4xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected logits [batch, classes], found 'tensor<4xf32>'}}
  %dl = nn.softmax_cross_entropy_grad %ds, %l, %t, %valid : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @softmax_cross_entropy_grad_c2(%ds: tensor<f32>, %l: tensor<4x3xf32>,
                                         %t: tensor<3xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected 4 labels, one per row of the logits, found 'tensor<3xi32>'}}
  %dl = nn.softmax_cross_entropy_grad %ds, %l, %t, %valid
      : tensor<4x3xf32>, tensor<3xi32>
  return
}
