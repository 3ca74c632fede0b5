// What would be test/dialects/nn/square.mlir.
// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @square
// CHECK: nn.square %{{.*}} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.square : tensor<2x3xf32>
func.func @square(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.square %x : tensor<2x3xf32>
  %dx = nn.elementwise_grad %y, %x of nn.square : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>
}

// -----

func.func @square_grad_shapes_differ(%dy: tensor<2x3xf32>, %x: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.elementwise_grad"(%dy, %x) <{function = #nn.function<nn.square>}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
