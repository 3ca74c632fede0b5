// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @orthogonalize
// CHECK: train.orthogonalize %{{.*}} scale 2.000000e+00 : tensor<64x16x3x3xf32>
func.func @orthogonalize(%u: tensor<64x16x3x3xf32>) -> tensor<64x16x3x3xf32> {
  %0 = train.orthogonalize %u scale 2.0 : tensor<64x16x3x3xf32>
  return %0 : tensor<64x16x3x3xf32>
}

// -----

func.func @orthogonalize_c1(%u: tensor<8xf32>) {
  // expected-error @+1 {{expected a tensor of two dimensions or more, found 'tensor<8xf32>'}}
  %0 = train.orthogonalize %u scale 1.0 : tensor<8xf32>
  return
}
