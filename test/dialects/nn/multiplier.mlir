// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @multiplier
// CHECK: nn.multiplier %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1xf32>
// CHECK: nn.multiplier_grad %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>
func.func @multiplier(%x: tensor<2x3xf32>, %m: tensor<1xf32>, %valid: tensor<i32>)
    -> tensor<1xf32> {
  %y = nn.multiplier %x, %m : tensor<2x3xf32>, tensor<1xf32>
  %dm = nn.multiplier_grad %y, %x, %valid : tensor<2x3xf32>, tensor<2x3xf32>
  return %dm : tensor<1xf32>
}

// -----

func.func @multiplier_c1(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error @+1 {{expected a multiplier of one element, found 'tensor<3xf32>'}}
  %y = nn.multiplier %x, %m : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @multiplier_grad_c1(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a gradient and an input of one shape of rank 2 or more, found 'tensor<2x3xf32>' and 'tensor<3x2xf32>'}}
  %m = nn.multiplier_grad %x, %y, %valid : tensor<2x3xf32>, tensor<3x2xf32>
  return
}
