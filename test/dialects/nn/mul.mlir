// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @mul
// CHECK: nn.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @mul(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.mul %a, %b : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @mul_shapes_differ(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.mul"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}
