// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_b : tensor<2x3x4xf32>, tensor<2x5x4xf32>
// CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_a : tensor<2x3x4xf32>, tensor<2x3x5xf32>
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x4x5xf32> {
  %y = nn.matmul %a, %b transpose_b : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %z = nn.matmul %a, %y transpose_a : tensor<2x3x4xf32>, tensor<2x3x5xf32>
  return %z : tensor<2x4x5xf32>
}

// -----

func.func @matmul_c1(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{expected two operands of the same rank, 3 or more, found 'tensor<2x3xf32>' and 'tensor<2x3xf32>'}}
  %y = nn.matmul %a, %a : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3x4xf32>, %b: tensor<1x4x3xf32>) {
  // expected-error @+1 {{expected equal dimensions before the matrices, found 'tensor<2x3x4xf32>' and 'tensor<1x4x3xf32>'}}
  %y = nn.matmul %a, %b : tensor<2x3x4xf32>, tensor<1x4x3xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected to sum over as many columns of a as rows of b, found 4 and 3}}
  %y = nn.matmul %a, %a : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  return
}
