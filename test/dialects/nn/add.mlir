// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @add
// CHECK: nn.add %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.add %a, %b : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @add_shapes_differ(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.add"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @add_dynamic(%a: tensor<?x3xf32>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values}}
  %y = nn.add %a, %a : tensor<?x3xf32>
  return
}

// -----

func.func @add_integers(%a: tensor<2x3xi32>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values}}
  %y = nn.add %a, %a : tensor<2x3xi32>
  return
}
