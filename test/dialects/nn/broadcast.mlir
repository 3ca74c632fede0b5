// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast
// CHECK: nn.broadcast %{{.*}} along [1, 3] : tensor<2x4xf32> -> tensor<2x3x4x5xf32>
func.func @broadcast(%x: tensor<2x4xf32>) -> tensor<2x3x4x5xf32> {
  %y = nn.broadcast %x along [1, 3] : tensor<2x4xf32> -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// -----

func.func @broadcast_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{expected the result without the axes [1] to have the input's shape, found 'tensor<2x4xf32>' and 'tensor<2x4x3xf32>'}}
  %y = nn.broadcast %x along [1] : tensor<2x4xf32> -> tensor<2x4x3xf32>
  return
}
