// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sub
// CHECK: nn.sub %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @sub(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.sub %a, %b : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @sub_shapes_differ(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.sub"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}
