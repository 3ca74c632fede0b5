// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @top_k
// CHECK: nn.top_k 2, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4xi32>
func.func @top_k(%l: tensor<4x3xf32>, %t: tensor<4xi32>, %valid: tensor<i32>)
    -> (tensor<f32>, tensor<i64>) {
  %sum, %count = nn.top_k 2, %l, %t, %valid : tensor<4x3xf32>, tensor<4xi32>
  return %sum, %count : tensor<f32>, tensor<i64>
}

// -----

func.func @top_k_c1(%l: tensor<4xf32>, %t: tensor<4xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected logits [batch, ..., classes], found 'tensor<4xf32>'}}
  %sum, %count = nn.top_k 1, %l, %t, %valid : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @top_k_c2(%l: tensor<4x3xf32>, %t: tensor<5xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected labels [4], one per row of the logits, found 'tensor<5xi32>'}}
  %sum, %count = nn.top_k 1, %l, %t, %valid : tensor<4x3xf32>, tensor<5xi32>
  return
}

// -----

func.func @top_k_c3_low(%l: tensor<4x3xf32>, %t: tensor<4xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected k between 1 and the number of classes, 3, found 0}}
  %sum, %count = nn.top_k 0, %l, %t, %valid : tensor<4x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @top_k_c3_high(%l: tensor<4x3xf32>, %t: tensor<4xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected k between 1 and the number of classes, 3, found 4}}
  %sum, %count = nn.top_k 4, %l, %t, %valid : tensor<4x3xf32>, tensor<4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @top_k_weights
// CHECK: nn.top_k 2, %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32>
func.func @top_k_weights(%l: tensor<4x3xf32>, %t: tensor<4xi32>, %valid: tensor<i32>,
                         %w: tensor<4xf32>) -> tensor<f32> {
  %sum, %count = nn.top_k 2, %l, %t, %valid weights %w
      : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32>
  return %sum : tensor<f32>
}

// -----

func.func @top_k_c2_weights(%l: tensor<4x3xf32>, %t: tensor<4xi32>, %valid: tensor<i32>,
                            %w: tensor<5xf32>) {
  // expected-error @+1 {{expected weights [4], found 'tensor<5xf32>'}}
  %sum, %count = nn.top_k 1, %l, %t, %valid weights %w
      : tensor<4x3xf32>, tensor<4xi32>, tensor<5xf32>
  return
}
