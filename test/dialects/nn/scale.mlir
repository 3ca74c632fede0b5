// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scale
// CHECK: nn.scale %{{.*}} by 5.000000e-01 : tensor<2x3xf32>
func.func @scale(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.scale %x by 0.5 : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scale_shapes_differ(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %y = "nn.scale"(%x) <{factor = 2.0 : f64}> : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
