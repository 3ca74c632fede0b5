// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gelu
// CHECK: nn.gelu %{{.*}} tanh : tensor<2x3xf32>
// CHECK: nn.gelu_grad %{{.*}}, %{{.*}} tanh : tensor<2x3xf32>
func.func @gelu(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = nn.gelu %x tanh : tensor<2x3xf32>
  %dx = nn.gelu_grad %dy, %x tanh : tensor<2x3xf32>
  return %y, %dx : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

func.func @gelu_shapes_differ(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.gelu"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @gelu_grad_shapes_differ(%dy: tensor<2x3xf32>, %x: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.gelu_grad"(%dy, %x) : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
