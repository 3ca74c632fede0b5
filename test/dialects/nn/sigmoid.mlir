// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sigmoid
// CHECK: nn.sigmoid %{{.*}} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.sigmoid : tensor<2x3xf32>
func.func @sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.sigmoid %x : tensor<2x3xf32>
  %dx = nn.elementwise_grad %x, %y of nn.sigmoid : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>
}

// -----

func.func @sigmoid_grad_shapes_differ(%dy: tensor<2x3xf32>, %y: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.elementwise_grad"(%dy, %y) <{function = #nn.function<nn.sigmoid>}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
