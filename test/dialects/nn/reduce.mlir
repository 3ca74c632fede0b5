// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reduce
// CHECK: nn.reduce mean %{{.*}} along [1, 3] : tensor<2x3x4x5xf32>
// CHECK: nn.reduce max
// CHECK: nn.reduce_max_grad %{{.*}}, %{{.*}}, %{{.*}} along [1] : tensor<2xf32>, tensor<2x4xf32>
func.func @reduce(%x: tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  %y = nn.reduce mean %x along [1, 3] : tensor<2x3x4x5xf32>
  %z = nn.reduce max %y along [1] : tensor<2x4xf32>
  %dy = nn.reduce_max_grad %z, %y, %z along [1] : tensor<2xf32>, tensor<2x4xf32>
  return %dy : tensor<2x4xf32>
}

// -----

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected ascending axes from 1 to 1 of 'tensor<2x3xf32>', found [0]}}
  %y = nn.reduce sum %x along [0] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c1_order(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected ascending axes from 1 to 2 of 'tensor<2x3x4xf32>', found [2, 1]}}
  %y = nn.reduce sum %x along [2, 1] : tensor<2x3x4xf32>
  return
}

// -----

func.func @reduce_c1_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected ascending axes from 1 to 1 of 'tensor<2x3xf32>', found []}}
  %y = nn.reduce sum %x along [] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_max_grad_c1(%d: tensor<3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a gradient 'tensor<2xf32>', the reduction of 'tensor<2x3xf32>' along [1], found 'tensor<3xf32>'}}
  %y = nn.reduce_max_grad %d, %x, %d along [1] : tensor<3xf32>, tensor<2x3xf32>
  return
}
