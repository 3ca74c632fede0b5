// What would be test/dialects/nn/square.mlir.
// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @square
// CHECK: nn.square %{{.*}} : tensor<2x3xf32>
// CHECK: nn.square_grad %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @square(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.square %x : tensor<2x3xf32>
  %dx = nn.square_grad %y, %x : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>
}

// -----

func.func @square_grad_shapes_differ(%dy: tensor<2x3xf32>, %x: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.square_grad"(%dy, %x) : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}
