// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @leaky_relu
// CHECK: nn.leaky_relu %{{.*}} slope 2.500000e-01 : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.leaky_relu {slope = 2.500000e-01 : f64} : tensor<2x3xf32>
func.func @leaky_relu(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = nn.leaky_relu %x slope 0.25 : tensor<2x3xf32>
  %dx = nn.elementwise_grad %dy, %x of nn.leaky_relu {slope = 0.25 : f64} : tensor<2x3xf32>
  return %y, %dx : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

func.func @leaky_relu_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a slope of 0 or more, found -5.000000e-01}}
  %y = nn.leaky_relu %x slope -0.5 : tensor<2x3xf32>
  return
}
