// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @embedding
// CHECK: nn.embedding %{{.*}}, %{{.*}} : tensor<2x5xi32>, tensor<11x3xf32>
// CHECK: nn.embedding_grad %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x5x3xf32>, tensor<2x5xi32> -> tensor<11x3xf32>
func.func @embedding(%i: tensor<2x5xi32>, %table: tensor<11x3xf32>, %valid: tensor<i32>)
    -> tensor<11x3xf32> {
  %y = nn.embedding %i, %table : tensor<2x5xi32>, tensor<11x3xf32>
  %d = nn.embedding_grad %y, %i, %valid : tensor<2x5x3xf32>, tensor<2x5xi32> -> tensor<11x3xf32>
  return %d : tensor<11x3xf32>
}

// -----

func.func @embedding_c1(%i: tensor<2x5xi32>, %table: tensor<11xf32>) {
  // expected-error @+1 {{expected an index [batch, ...] and a table [rows, d], found 'tensor<2x5xi32>' and 'tensor<11xf32>'}}
  %y = nn.embedding %i, %table : tensor<2x5xi32>, tensor<11xf32>
  return
}

// -----

func.func @embedding_grad_c1(%dy: tensor<2x4x3xf32>, %i: tensor<2x5xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a gradient [batch, ..., d], an index [batch, ...] and a result [rows, d], found 'tensor<2x4x3xf32>', 'tensor<2x5xi32>' and 'tensor<11x3xf32>'}}
  %d = nn.embedding_grad %dy, %i, %valid : tensor<2x4x3xf32>, tensor<2x5xi32> -> tensor<11x3xf32>
  return
}

// -----

func.func @embedding_grad_c1_columns(%dy: tensor<2x5x3xf32>, %i: tensor<2x5xi32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a gradient [batch, ..., d], an index [batch, ...] and a result [rows, d], found 'tensor<2x5x3xf32>', 'tensor<2x5xi32>' and 'tensor<11x4xf32>'}}
  %d = nn.embedding_grad %dy, %i, %valid : tensor<2x5x3xf32>, tensor<2x5xi32> -> tensor<11x4xf32>
  return
}
