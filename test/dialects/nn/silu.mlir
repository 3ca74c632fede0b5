// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @silu
// CHECK: nn.silu %{{.*}} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.silu : tensor<2x3xf32>
func.func @silu(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = nn.silu %x : tensor<2x3xf32>
  %dx = nn.elementwise_grad %dy, %x of nn.silu : tensor<2x3xf32>
  return %y, %dx : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

func.func @silu_shapes_differ(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.silu"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @silu_grad_shapes_differ(%dy: tensor<2x3xf32>, %x: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.elementwise_grad"(%dy, %x) <{function = #nn.function<nn.silu>}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
