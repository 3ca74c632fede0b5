// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gelu
// CHECK: nn.gelu %{{.*}} tanh : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.gelu {tanh} : tensor<2x3xf32>
func.func @gelu(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = nn.gelu %x tanh : tensor<2x3xf32>
  %dx = nn.elementwise_grad %dy, %x of nn.gelu {tanh} : tensor<2x3xf32>
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
  %dx = "nn.elementwise_grad"(%dy, %x) <{function = #nn.function<nn.gelu>}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
