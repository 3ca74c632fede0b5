// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softplus
// CHECK: nn.softplus %{{.*}} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.softplus : tensor<2x3xf32>
func.func @softplus(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = nn.softplus %x : tensor<2x3xf32>
  %dx = nn.elementwise_grad %dy, %x of nn.softplus : tensor<2x3xf32>
  return %y, %dx : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

func.func @softplus_shapes_differ(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.softplus"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
