// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @one_hot
// CHECK: nn.one_hot %{{.*}} : tensor<2xi32> -> tensor<2x3xf32>
func.func @one_hot(%t: tensor<2xi32>) -> tensor<2x3xf32> {
  %y = nn.one_hot %t : tensor<2xi32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @one_hot_c1(%t: tensor<2xi32>) {
  // expected-error @+1 {{expected labels [batch, ...] to become [batch, ..., classes], found 'tensor<2xi32>' to 'tensor<3x3xf32>'}}
  %y = nn.one_hot %t : tensor<2xi32> -> tensor<3x3xf32>
  return
}
