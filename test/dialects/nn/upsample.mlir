// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @upsample
// CHECK: nn.upsample %{{.*}} factors [2, 3] : tensor<2x3x4x5xf32>
// CHECK: nn.upsample_grad %{{.*}} factors [2, 3] : tensor<2x3x8x15xf32> -> tensor<2x3x4x5xf32>
func.func @upsample(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = nn.upsample %x factors [2, 3] : tensor<2x3x4x5xf32>
  %dx = nn.upsample_grad %y factors [2, 3] : tensor<2x3x8x15xf32> -> tensor<2x3x4x5xf32>
  return %dx : tensor<2x3x4x5xf32>
}

// -----

func.func @upsample_c1_dimensions(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected an input of four dimensions and two positive factors, found 'tensor<2x3x4xf32>' and [2, 2]}}
  %y = nn.upsample %x factors [2, 2] : tensor<2x3x4xf32>
  return
}

// -----

func.func @upsample_c1_zero(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{two positive factors, found 'tensor<2x3x4x5xf32>' and [0, 2]}}
  %y = nn.upsample %x factors [0, 2] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @upsample_c1_count(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{two positive factors, found 'tensor<2x3x4x5xf32>' and [2]}}
  %y = nn.upsample %x factors [2] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @upsample_c1_large(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{the factors [1, 9223372036854775807] are too large}}
  %y = nn.upsample %x factors [1, 9223372036854775807] : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @upsample_grad_c1(%dy: tensor<2x3x8x14xf32>) {
  // expected-error @+1 {{expected a gradient of shape [2, 3, 8, 15], found 'tensor<2x3x8x14xf32>'}}
  %dx = nn.upsample_grad %dy factors [2, 3] : tensor<2x3x8x14xf32> -> tensor<2x3x4x5xf32>
  return
}
