// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @transpose
// CHECK: nn.transpose %{{.*}} [0, 3, 1, 2] : tensor<2x3x4x5xf32>
// CHECK: return %{{.*}} : tensor<2x5x3x4xf32>
func.func @transpose(%x: tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32> {
  %y = nn.transpose %x [0, 3, 1, 2] : tensor<2x3x4x5xf32>
  return %y : tensor<2x5x3x4xf32>
}

// -----

func.func @transpose_c1(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected each dimension of 'tensor<2x3x4xf32>' once, found [0, 1, 1]}}
  %y = nn.transpose %x [0, 1, 1] : tensor<2x3x4xf32>
  return
}

// -----

func.func @transpose_c1_rank(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected each dimension of 'tensor<2x3x4xf32>' once, found [0, 1]}}
  %y = nn.transpose %x [0, 1] : tensor<2x3x4xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected dimension 0, the batch, to stay, found [1, 0, 2]}}
  %y = nn.transpose %x [1, 0, 2] : tensor<2x3x4xf32>
  return
}
