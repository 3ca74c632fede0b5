// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @normalize
// CHECK: nn.normalize %{{.*}} by [5.000000e-01, 2.500000e-01, 1.250000e-01] plus {{\[}}-2.1179039301310043] : tensor<2x3x4x5xi8> -> tensor<2x3x4x5xf32>
// CHECK: nn.normalize %{{.*}} by [5.000000e-01] plus [0.000000e+00] : tensor<2x3xi8> -> tensor<2x3xbf16>
func.func @normalize(%x: tensor<2x3x4x5xi8>, %r: tensor<2x3xi8>)
    -> (tensor<2x3x4x5xf32>, tensor<2x3xbf16>) {
  %y = nn.normalize %x by [0.5, 0.25, 0.125] plus [-2.1179039301310043]
      : tensor<2x3x4x5xi8> -> tensor<2x3x4x5xf32>
  %s = nn.normalize %r by [0.5] plus [0.0] : tensor<2x3xi8> -> tensor<2x3xbf16>
  return %y, %s : tensor<2x3x4x5xf32>, tensor<2x3xbf16>
}

// -----

func.func @normalize_c1(%x: tensor<2x3x4x5xi8>) {
  // expected-error @+1 {{expected pixels [batch, channels, ...] to become numbers of the same shape, found 'tensor<2x3x4x5xi8>' to 'tensor<2x3x5x4xf32>'}}
  %y = nn.normalize %x by [1.0] plus [0.0] : tensor<2x3x4x5xi8> -> tensor<2x3x5x4xf32>
  return
}

// -----

func.func @normalize_c1_rank(%x: tensor<2xi8>) {
  // expected-error @+1 {{expected pixels [batch, channels, ...] to become numbers}}
  %y = nn.normalize %x by [1.0] plus [0.0] : tensor<2xi8> -> tensor<2xf32>
  return
}

// -----

func.func @normalize_c2(%x: tensor<2x3x4x5xi8>) {
  // expected-error @+1 {{expected 1 number of shift or one for each of the 3 channels, found 2}}
  %y = nn.normalize %x by [1.0] plus [0.0, 1.0] : tensor<2x3x4x5xi8> -> tensor<2x3x4x5xf32>
  return
}
