// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @flatten
// CHECK: nn.flatten %{{.*}} : tensor<2x1x3x4xf32>
func.func @flatten(%x: tensor<2x1x3x4xf32>) -> tensor<2x12xf32> {
  %y = nn.flatten %x : tensor<2x1x3x4xf32>
  return %y : tensor<2x12xf32>
}

// -----

func.func @flatten_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected an input of rank 2 or more, found 'tensor<2xf32>'}}
  %y = nn.flatten %x : tensor<2xf32>
  return
}
