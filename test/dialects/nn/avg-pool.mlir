// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @avg_pool
// CHECK: nn.avg_pool %{{.*}} kernel [3, 2] strides [2, 2] padding [1, 0, 0, 1] : tensor<2x4x7x9xf32> -> tensor<2x4x3x5xf32>
// CHECK: nn.avg_pool_grad %{{.*}} kernel [3, 2] strides [2, 2] padding [1, 0, 0, 1] : tensor<2x4x3x5xf32> -> tensor<2x4x7x9xf32>
func.func @avg_pool(%x: tensor<2x4x7x9xf32>) -> tensor<2x4x7x9xf32> {
  %y = nn.avg_pool %x kernel [3, 2] strides [2, 2] padding [1, 0, 0, 1]
      : tensor<2x4x7x9xf32> -> tensor<2x4x3x5xf32>
  %dx = nn.avg_pool_grad %y kernel [3, 2] strides [2, 2] padding [1, 0, 0, 1]
      : tensor<2x4x3x5xf32> -> tensor<2x4x7x9xf32>
  return %dx : tensor<2x4x7x9xf32>
}

// -----

func.func @avg_pool_c1(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected four paddings, each from 0 to below the kernel [2, 2], found [2, 0, 0, 0]}}
  %y = nn.avg_pool %x kernel [2, 2] strides [2, 2] padding [2, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>
  return
}

// -----

func.func @avg_pool_c2(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected a result of shape [2, 4, 3, 3], found 'tensor<2x4x6x6xf32>'}}
  %y = nn.avg_pool %x kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf32>
  return
}

// -----

func.func @avg_pool_grad_c1(%dy: tensor<2x4x3x3xf32>) {
  // expected-error @+1 {{expected a gradient of shape [2, 4, 4, 3], found 'tensor<2x4x3x3xf32>'}}
  %dx = nn.avg_pool_grad %dy kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x3x3xf32> -> tensor<2x4x8x6xf32>
  return
}
