// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s
// RUN: boost-opt %t --split-input-file --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @max_pool
// CHECK: nn.max_pool %{{.*}} kernel [3, 2] strides [2, 2] padding [1, 0, 2, 1] : tensor<2x4x7x9xf32> -> tensor<2x4x4x5xf32>, tensor<2x4x4x5xi32>
// CHECK: nn.max_pool_grad %{{.*}}, %{{.*}} kernel [3, 2] strides [2, 2] padding [1, 0, 2, 1] : tensor<2x4x4x5xf32>, tensor<2x4x4x5xi32> -> tensor<2x4x7x9xf32>
func.func @max_pool(%x: tensor<2x4x7x9xf32>) -> tensor<2x4x7x9xf32> {
  %y, %tap = nn.max_pool %x kernel [3, 2] strides [2, 2] padding [1, 0, 2, 1]
      : tensor<2x4x7x9xf32> -> tensor<2x4x4x5xf32>, tensor<2x4x4x5xi32>
  %dx = nn.max_pool_grad %y, %tap kernel [3, 2] strides [2, 2] padding [1, 0, 2, 1]
      : tensor<2x4x4x5xf32>, tensor<2x4x4x5xi32> -> tensor<2x4x7x9xf32>
  return %dx : tensor<2x4x7x9xf32>
}

// A monotonic function moves after the maximum, where there is less of it.
// CANON-LABEL: func.func @monotonic
// CANON: %[[Y:.+]], %{{.+}} = nn.max_pool %arg0
// CANON: %[[R:.+]] = nn.relu %[[Y]] : tensor<2x4x3x3xf32>
// CANON: return %[[R]]
func.func @monotonic(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x3x3xf32> {
  %r = nn.relu %x : tensor<2x4x6x6xf32>
  %y, %tap = nn.max_pool %r kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return %y : tensor<2x4x3x3xf32>
}

// It stays where others read it, or where a tap was named already.
// CANON-LABEL: func.func @monotonic_read_twice
// CANON: %[[R:.+]] = nn.relu %arg0
// CANON: nn.max_pool %[[R]]
func.func @monotonic_read_twice(%x: tensor<2x4x6x6xf32>)
    -> (tensor<2x4x3x3xf32>, tensor<2x4x6x6xf32>) {
  %r = nn.relu %x : tensor<2x4x6x6xf32>
  %y, %tap = nn.max_pool %r kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return %y, %r : tensor<2x4x3x3xf32>, tensor<2x4x6x6xf32>
}

// CANON-LABEL: func.func @monotonic_tap
// CANON: %[[R:.+]] = nn.relu %arg0
// CANON: nn.max_pool %[[R]]
func.func @monotonic_tap(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x3x3xi32> {
  %r = nn.relu %x : tensor<2x4x6x6xf32>
  %y, %tap = nn.max_pool %r kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return %tap : tensor<2x4x3x3xi32>
}

// -----

func.func @max_pool_c1_rank(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{expected an input [N, C, H, W], found 'tensor<2x4xf32>'}}
  %y, %tap = nn.max_pool %x kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4xf32> -> tensor<2x4xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @max_pool_c1_kernel(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected a kernel of two numbers from 1 to 1048576, found [0, 2]}}
  %y, %tap = nn.max_pool %x kernel [0, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return
}

// -----

func.func @max_pool_c1_strides(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected two strides from 1 to 1048576, found [2]}}
  %y, %tap = nn.max_pool %x kernel [2, 2] strides [2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return
}

// -----

func.func @max_pool_c1_padding(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected four paddings, each from 0 to below the kernel [2, 2], found [0, 2, 0, 0]}}
  %y, %tap = nn.max_pool %x kernel [2, 2] strides [2, 2] padding [0, 2, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>
  return
}

// -----

func.func @max_pool_c1_fit(%x: tensor<2x4x1x1xf32>) {
  // expected-error @+1 {{a window of [3, 3] does not fit into the padded input 'tensor<2x4x1x1xf32>'}}
  %y, %tap = nn.max_pool %x kernel [3, 3] strides [2, 2] padding [0, 1, 1, 1]
      : tensor<2x4x1x1xf32> -> tensor<2x4x1x1xf32>, tensor<2x4x1x1xi32>
  return
}

// -----

func.func @max_pool_c2(%x: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expected results of shape [2, 4, 3, 3], found 'tensor<2x4x3x2xi32>'}}
  %y, %tap = nn.max_pool %x kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x6x6xf32> -> tensor<2x4x3x3xf32>, tensor<2x4x3x2xi32>
  return
}

// -----

func.func @max_pool_grad_c1(%dy: tensor<2x4x3x3xf32>, %tap: tensor<2x4x3x3xi32>) {
  // expected-error @+1 {{expected operands of shape [2, 4, 4, 3], found 'tensor<2x4x3x3xf32>'}}
  %dx = nn.max_pool_grad %dy, %tap kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32> -> tensor<2x4x8x6xf32>
  return
}
