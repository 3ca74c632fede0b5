// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @relu
// CHECK: nn.relu %{{.*}} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.relu : tensor<2x3xf32>
func.func @relu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.relu %x : tensor<2x3xf32>
  %dx = nn.elementwise_grad %x, %y of nn.relu : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>
}

// -----

func.func @relu_grad_shapes_differ(%dy: tensor<2x3xf32>, %y: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.elementwise_grad"(%dy, %y) <{function = #nn.function<nn.relu>}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
